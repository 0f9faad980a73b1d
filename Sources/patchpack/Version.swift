/// The version that `--version` prints.
let toolVersion = "1.0.0"
/// The day of that version, as manual pages have it.
let toolDate = "November 22, 2026"
