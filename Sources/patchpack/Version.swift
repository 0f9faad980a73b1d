/// The version that `--version` prints.
let toolVersion = "1.0.0"
/// The date of that version, for the manual pages.
let toolDate = "November 22, 2026"
