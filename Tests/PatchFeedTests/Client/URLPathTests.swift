import PatchFeed
import TestSupport
import Testing

/// URLs and folders, as a user names feeds.
@Suite(.ownThreads) struct URLPathTests {
    @Test(arguments: [
        ("https://a.example/feed", true), ("http://a.example", true), ("HTTPS://a.example", true),
        ("Http://a.example", true), ("https:/a.example", false), ("httpss://a", false), ("s3://bucket", false),
        ("/srv/https://a", false), ("feed", false), ("", false),
    ])
    func aServerIsAURLInAnyCase(_ place: String, _ isServed: Bool) {
        #expect(URLPath.isServed(place) == isServed)
    }
}
