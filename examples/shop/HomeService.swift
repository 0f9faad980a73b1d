import PatchRunner

/// The first screen. A wrong patch of it can crash or hang the app before anything else is seen.
struct HomeService: Service {
    let shop: Shop

    func launched() {
        let item = catalogue[shop.featured()]
        var (shown, pages) = (0, 0)
        while shown < catalogue.count {
            shown += shop.pageSize(2)
            pages += 1
        }
        print("  today: \(item.name) (\(catalogue.count) items on \(pages) pages)")
    }

    func ready() async { await shop.open() }
}
