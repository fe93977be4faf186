extension String {
    /// Returns this path, as a file gives it, relative to the folder of that file. An absolute path
    /// stays as it is.
    ///
    /// `deletingLastPathComponent` of Foundation does not fit here. That of `NSString` crashes for a
    /// path of one character, and that of `URL` makes the path absolute.
    /// - Parameter file: the path of the file.
    package func inFolder(of file: String) -> String {
        let scalars = file.unicodeScalars
        guard unicodeScalars.first != "/", let slash = scalars.lastIndex(of: "/") else {
            return self
        }
        return String(scalars[...slash]) + self
    }
}
