internal import CVersion

/// The version that is tagged next, or that this is.
let nextVersion = "1.0.0"
/// The version that `--version` prints. `make` names the commit, unless this is the tagged version
/// (scripts/version.sh).
let toolVersion = unsafe pp_version().pointee == 0 ? "\(nextVersion)-dev" : String(cString: pp_version())
/// The date of that version, for the manual pages.
let toolDate = "November 22, 2026"
