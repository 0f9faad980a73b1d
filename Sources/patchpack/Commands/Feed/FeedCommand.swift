/// `feed`: makes and changes a feed, a folder of static files that lists the patches for devices.
enum FeedCommand {}
