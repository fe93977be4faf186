"""What goes wrong. Each function does it once to the cluster of an epoch, and mends it."""

from postgres import USER


def kill_node(epoch, is_long):
    """A node dies, and comes back after a while."""
    node = epoch.generator.choice(epoch.cluster.nodes)
    node.kill()
    epoch.hold(0, 3 if is_long else 1)
    node.start().wait_until_ready()


def pause_node(epoch, is_long):
    """A node stands still, and does not know that it did."""
    node = epoch.generator.choice(epoch.cluster.nodes)
    node.pause()
    epoch.hold(0.1, 40 if is_long else 4)
    node.go_on()


def replace_nodes(epoch, is_long):
    """Each node in its turn is stopped as an operator does it, and another process takes its place."""
    for node in epoch.cluster.nodes:
        node.stop()
        node.start().wait_until_ready()
        epoch.hold(0.2)


def kill_primary(epoch, is_long):
    """The primary dies while the standby lags, and the standby takes over."""
    pair = epoch.cluster.pair
    pair.links.tell([f"follow-{pair.primary.name}"], "freeze")
    epoch.hold(0.1, 0.5)
    pair.primary.kill()
    epoch.hold(0, 1)
    pair.promote()
    pair.links.heal()
    epoch.expect_progress()
    pair.rejoin()


def restart_primary(epoch, is_long):
    """Without a standby, the primary dies and comes back: it now shows commits that no standby has.

    Half of the times the standby comes back; half of the times the primary dies once more, and the standby,
    which has not seen these commits, takes over.
    """
    pair = epoch.cluster.pair
    pair.standby.kill()
    epoch.hold(0.2, 1)
    pair.primary.kill()
    pair.primary.start()
    epoch.hold(1, 3)
    follows = pair.ports[f"follow-{pair.primary.name}"][0]
    if epoch.generator.random() < 0.5:
        pair.standby.start(follows=follows)
        return
    pair.primary.kill()
    pair.standby.start(follows=follows)
    pair.promote()
    epoch.expect_progress()
    pair.rejoin()


def fence(epoch, is_long):
    """The primary stands still and is replaced, and a watchdog ends it before it can go on.

    One node cannot reach the new primary meanwhile.
    """
    replace_paused(epoch, lambda old: old.kill())


def zombie(epoch, is_long):
    """The primary stands still, is replaced, and goes on, because nothing fences it: it acknowledges no change.

    One node cannot reach the new primary meanwhile, so that it stays with the old one.
    """
    replace_paused(epoch, lambda old: old.go_on())


def replace_paused(epoch, act):
    pair, node = epoch.cluster.pair, epoch.generator.choice(epoch.cluster.nodes)
    pair.links.tell([f"{node.name}-{pair.standby.name}"], "freeze")
    pair.primary.pause()
    epoch.hold(0, 1)
    pair.promote()
    # Some changes on the new one, which the old one does not have.
    epoch.expect_progress(100)
    act(pair.standby)
    epoch.hold(1.5, 3)
    pair.links.heal()
    epoch.hold(0, 2)
    pair.rejoin()


def pause_standby(epoch, is_long):
    """Commits wait for the standby, and go on."""
    pair = epoch.cluster.pair
    pair.standby.pause()
    epoch.hold(0.5, 10 if is_long else 3)
    pair.standby.go_on()


def restart_standby(epoch, is_long):
    """The standby dies; commits wait until it is back."""
    pair = epoch.cluster.pair
    pair.standby.kill()
    epoch.hold(0.5, 10 if is_long else 3)
    pair.follow()


def part(epoch, is_long):
    """The network between two of them, or around one, loses or resets all, or is slow."""
    pair, choose = epoch.cluster.pair, epoch.generator.choice
    node = choose(epoch.cluster.nodes).name
    where = choose([
        [f"{node}-{pair.primary.name}"],
        [f"follow-{pair.primary.name}"],
        [f"{node}-a", f"{node}-b"]])
    how = choose([("freeze",), ("reset",), ("delay", f"{epoch.generator.uniform(0.02, 0.3):.3f}")])
    pair.links.tell(where, *how)
    epoch.hold(0.5, 20 if is_long else 3)
    pair.links.heal()


def cut(epoch, is_long):
    """Each connection of a node to the primary is reset, again and again: before, in and after commits."""
    pair, node = epoch.cluster.pair, epoch.generator.choice(epoch.cluster.nodes).name
    for _ in range(10):
        pair.links.tell([f"{node}-{pair.primary.name}"], "reset")
        pair.links.tell([f"{node}-{pair.primary.name}"], "pass")
        epoch.hold(0.05, 0.5)


def cancel(epoch, is_long):
    """An operator's mistake: the commits that wait for a standby are cancelled, and then the primary dies.

    PostgreSQL ends them with a warning and success, though the standby does not have them.
    """
    pair = epoch.cluster.pair
    pair.links.tell([f"follow-{pair.primary.name}"], "freeze")
    epoch.hold(0.5, 1)
    for _ in range(3):
        pair.primary.query(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
            f" WHERE wait_event = 'SyncRep' AND usename = '{USER}' AND backend_type = 'client backend'")
        epoch.hold(0.1, 0.3)
    pair.primary.kill()
    pair.promote()
    pair.links.heal()
    epoch.expect_progress()
    pair.rejoin()


# How often each is done: in the short form, and in the long one.
NEMESES = {
    "kill-node": (kill_node, 10, 200),
    "pause-node": (pause_node, 4, 50),
    "replace-nodes": (replace_nodes, 1, 20),
    "kill-primary": (kill_primary, 3, 50),
    "fence": (fence, 3, 50),
    "zombie": (zombie, 1, 50),
    "restart-primary": (restart_primary, 2, 50),
    "pause-standby": (pause_standby, 1, 30),
    "restart-standby": (restart_standby, 1, 30),
    "part": (part, 5, 100),
    "cut": (cut, 1, 30),
    "cancel": (cancel, 2, 30),
}
# What the short form does to the same sessions, so that most of its time is not their beginning and end.
GROUPS = {
    "nodes": ["kill-node", "pause-node", "replace-nodes"],
    "failovers": ["kill-primary", "fence"],
    "unfenced": ["zombie"],
    "losses": ["restart-primary", "cancel"],
    "network": ["pause-standby", "restart-standby", "part", "cut"],
}
# The properties that need a fenced primary: one that was replaced and goes on answers reads with old data.
UNFENCED = {"unfenced": {4, 5}, "zombie": {4, 5}}
# Those that need no PostgreSQL.
SINGLE = ["nodes"]
# The long form begins anew with other sessions after so many.
ROUNDS = 50


def plans(names, is_long):
    """Yields what is to be done to the same sessions: a name, and each nemesis with its number of times."""
    for name in names:
        members = GROUPS.get(name, [name])
        if not is_long:
            yield name, [(member, NEMESES[member][1]) for member in members]
            continue
        for member in members:
            rounds = NEMESES[member][2]
            for first in range(0, rounds, ROUNDS):
                yield f"{member}-{first}" if first else member, [(member, min(ROUNDS, rounds - first))]
