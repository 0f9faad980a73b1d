/// `feed`: makes and changes a feed, a folder of static files that tells devices which patches are for them.
enum FeedCommand {}
