import 'dart:convert';

import 'package:flutter/widgets.dart';

/// Records the screens of a Flutter app as a trace for `waypost verify`.
///
///     MaterialApp(navigatorObservers: [TraceObserver('Shop', write)])
///
/// [write] appends a line to a file. The names of the routes are those of the scenes, or [scenes] maps them.
class TraceObserver extends NavigatorObserver {
  TraceObserver(String app, this.write, {Map<String, String> scenes = const {}}) {
    _line({'waypostTrace': 1, 'app': app, 'callbacks': <String>[], 'scenes': scenes});
  }

  final void Function(String) write;
  final _stack = <Route<dynamic>>[];

  void _line(Object value) => write('${jsonEncode(value)}\n');

  void _step() => _line({
        'stack': [for (final route in _stack) {'scene': route.settings.name ?? '${route.runtimeType}'}]
      });

  @override
  void didPush(Route<dynamic> route, Route<dynamic>? previousRoute) {
    _stack.add(route);
    _step();
  }

  @override
  void didPop(Route<dynamic> route, Route<dynamic>? previousRoute) => didRemove(route, previousRoute);

  @override
  void didRemove(Route<dynamic> route, Route<dynamic>? previousRoute) {
    _stack.remove(route);
    _step();
  }

  @override
  void didReplace({Route<dynamic>? newRoute, Route<dynamic>? oldRoute}) {
    if (newRoute == null || oldRoute == null) return;
    _stack[_stack.indexOf(oldRoute)] = newRoute;
    _step();
  }
}
