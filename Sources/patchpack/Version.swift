/// The version that `--version` prints.
let toolVersion = "0.1.0"
/// The day of that version, as manual pages have it.
let toolDate = "November 22, 2026"
