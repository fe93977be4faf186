extension Scene {
    /// Checks the parameters for a new view controller of this scene, and returns them in the order
    /// of the scene's `parameters`.
    /// - Throws: `.invalidParameters` with all missing and unknown parameters. If no parameter is
    ///   missing or unknown, the error has the first parameter whose value identifies no data.
    func check(
        _ given: [String: String], in dataSource: any DataSource
    ) throws(NavigationError) -> Parameters {
        if given.isEmpty, parameters.isEmpty { return .none }
        var defects: [ParameterDefect] = []
        for name in requiredParameters where given[name] == nil {
            defects.append(ParameterDefect(name: name, reason: .missing))
        }
        for name in given.keys.sorted() where !parameters.contains(name) {
            defects.append(ParameterDefect(name: name, reason: .unknown))
        }
        guard defects.isEmpty else { throw .invalidParameters(self.name, defects) }
        let checked = parameters(from: given)
        if let dangling = firstDangling(in: checked, of: dataSource) {
            let reason = ParameterDefect.Reason.dangling(checked[dangling] ?? "")
            throw .invalidParameters(
                self.name, [ParameterDefect(name: dangling, reason: reason)])
        }
        return checked
    }

    /// Returns the name of the first parameter whose value identifies no data, such as an author id
    /// that does not exist; nil if there is none. Checks only the parameters that select the
    /// scene's rows or image. The values of the other parameters are free text.
    func firstDangling(in parameters: Parameters, of dataSource: any DataSource) -> String? {
        let required =
            rows.flatMap { dataSource.rowBindings[$0]?.requires }
            ?? image.flatMap { dataSource.imageBindings[$0]?.requires }
        return required.flatMap { dataSource.firstDangling($0, in: parameters) }
    }
}
