/// The formats of verbs that check files, each of which takes some of them.
enum ResultFormat: String {
    case text, json, sarif, github, junit, tap
}
