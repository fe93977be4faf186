import Navigation

extension BodyReader {
    /// `{title?, navigationItem?, hidesBottomBarWhenPushed?}`: what is absent stays as it is, and
    /// `null` takes a title away (RFC 7396).
    mutating func viewControllerChanges() -> ViewControllerChanges {
        var item = NavigationItemChanges()
        let title = nullableString("title")
        nested("navigationItem") { reader in
            item.title = reader.nullableString("title")
            item.backButtonTitle = reader.nullableString("backButtonTitle")
            item.hidesBackButton = reader.optionalBoolean("hidesBackButton")
            item.leftItems = reader.optionalStrings("leftItems")
            item.leftItemsSupplementBackButton = reader.optionalBoolean(
                "leftItemsSupplementBackButton")
            item.rightItems = reader.optionalStrings("rightItems")
        }
        return ViewControllerChanges(
            title: title, navigationItem: item,
            hidesBottomBarWhenPushed: optionalBoolean("hidesBottomBarWhenPushed"))
    }
}
