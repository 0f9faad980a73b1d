#include "CEventReader.h"

#include <cstdlib>
#include <cstring>
#include <new>

#if !__has_include(<boost/json/basic_parser_impl.hpp>)
#error "patchpack needs the headers of Boost 1.75 or newer: libboost1.81-dev on Debian 12, else libboost-dev, or boost"
#endif
#include <boost/system/system_error.hpp>
// Hidden symbols are not looked up when the tool starts.
#pragma GCC visibility push(hidden)
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#pragma GCC visibility pop

#include "texts.h"

#include <random>
#include <string>

namespace {

namespace json = boost::json;
using json::string_view;

/// The names of events and their members. An event's name and a key are never empty.
struct Words {
    std::string schema, events[ER_EVENTS], keys[ER_KEYS];

    er_event event(string_view name) const {
        for (int event = ER_OTHER + 1; event < ER_EVENTS; event++)
            if (name == events[event]) return static_cast<er_event>(event);
        return ER_OTHER;
    }

    /// The key with a name, from `first` to `last`. The one that follows `before` is tried first, because lines have them in this order.
    er_key key(string_view name, er_key first, er_key last, er_key before) const {
        int key = before < first || before >= last ? first : before + 1;
        for (int left = last - first; left >= 0; left--) {
            if (name == keys[key]) return static_cast<er_key>(key);
            key = key < last ? key + 1 : first;
        }
        return ER_NO_KEY;
    }
};

const size_t most_running = 64, most_reasons = 16;

/// The versions that a manifest may have.
bool is_version(int64_t version) { return version > 0 && version <= INT32_MAX; }

/// A patch of a launch with its version, or a reason with its count, as the line has it.
struct Named {
    string_view name;
    int64_t number;
};

/// The strings of the members that lines begin with.
struct Opening {
    string_view schema, timestamp, installation, app_version, system, system_version;
};

/// Reads the data for a report from a line: numbers at once, and strings until it is known whether they are needed. Everything
/// else is skipped.
struct Handler {
    static constexpr size_t max_object_size = -1, max_array_size = -1, max_key_size = -1, max_string_size = -1;

    er_line line;
    Words words;
    er_key section, member;
    /// The previous member of the object that is being read.
    er_key previous;
    unsigned depth;
    size_t times;  // as many as are kept
    Opening opening;
    /// The quote of the key after the resource, and the strings before it; null if anything else relevant was there.
    const char *after_resource;
    Opening at_resource;
    string_view event, patch, function, file, error, message, stack, answer, result, wrapped;
    Named running[most_running], reasons[most_reasons];  // as many as are counted
    size_t running_count, reason_count;
    /// Whether the line names a patch or a version with a value of another type.
    bool is_misnamed;
    /// Whether the array of a launch's patches is being read.
    bool is_in_running;
    /// Whether the object of a comparison's reasons is being read.
    bool is_in_reasons;

    ~Handler() { free(room); }

    /// Makes room for the strings of lines with this many bytes. Earlier strings are dropped. Returns false if there is not
    /// enough memory.
    bool begin_many(size_t length) {
        used = 0;
        // Strings are shorter without their escapes, and a wrapped line has strings too.
        length *= 2;
        if (length <= size) return true;
        char *larger = static_cast<char *>(realloc(room, length));
        if (!larger) return false;
        room = larger;
        size = length;
        return true;
    }

    /// Begins a line.
    void begin(const char *bytes, size_t length) {
        from = bytes;
        to = bytes + length;
        line = {};
        section = member = previous = ER_NO_KEY;
        depth = 0;
        times = 0;
        opening = {};
        after_resource = nullptr;
        running_count = reason_count = 0;
        is_misnamed = is_in_running = is_in_reasons = false;
        is_opening = true;
        event = patch = function = file = error = message = stack = answer = result = wrapped = {};
        part = used;
    }

    /// Takes the opening of a line as read. The parser has read its brace.
    void take(const Opening &known) {
        opening = known;
        previous = ER_RESOURCE;
        is_opening = false;
    }

    bool on_object_begin(boost::system::error_code &) {
        if (depth == 3 && is_in_running && running_count < most_running) running[running_count++] = {};
        is_in_reasons = is_in_reasons || (depth == 2 && section == ER_ATTRIBUTES && member == ER_REASONS);
        return enter(ER_NO_KEY);
    }
    bool on_array_begin(boost::system::error_code &) {
        is_in_running = is_in_running || (depth == 2 && section == ER_ATTRIBUTES && member == ER_RUNNING);
        return enter(depth == 2 && member == ER_TIMES ? member : ER_NO_KEY);
    }
    bool on_object_end(size_t, boost::system::error_code &) { return leave(); }
    bool on_array_end(size_t, boost::system::error_code &) { return leave(); }

    bool on_key_part(string_view bytes, size_t, boost::system::error_code &) { return keep(bytes); }
    bool on_key(string_view bytes, size_t, boost::system::error_code &) {
        string_view key = whole(bytes);
        if (depth == 1 && is_opening && section == ER_RESOURCE) {
            is_opening = false;
            if (is_in_line(key)) {
                after_resource = key.data() - 1;
                at_resource = opening;
            }
        }
        if (depth == 3 && is_in_reasons) {
            member = reason_count < most_reasons ? ER_REASONS : ER_NO_KEY;
            if (member == ER_REASONS) reasons[reason_count++] = {key, 0};
            return true;
        }
        member = depth == 1             ? words.key(key, ER_SCHEMA, ER_ATTRIBUTES, previous)
            : depth == 4 && is_in_running ? words.key(key, ER_PATCH, ER_VERSION, ER_NO_KEY)
            : depth != 2                ? ER_NO_KEY
            : section == ER_RESOURCE    ? words.key(key, ER_INSTALLATION, ER_SYSTEM_VERSION, previous)
            : section == ER_ATTRIBUTES  ? words.key(key, ER_PATCH, ER_RESULT, previous)
                                        : ER_NO_KEY;
        if (member != ER_NO_KEY) previous = member;
        else if (depth == 1 && (key == "log" || key == "message" || key == "MESSAGE")) member = ER_WRAPPED;
        if (depth == 1 && (member == ER_EVENT || member == ER_ATTRIBUTES)) is_opening = false;
        return true;
    }

    bool on_string_part(string_view bytes, size_t, boost::system::error_code &) { return keep(bytes); }
    bool on_string(string_view bytes, size_t, boost::system::error_code &) {
        string_view value = whole(bytes);
        if (member == ER_VERSION) return other();
        if (depth == 4) {
            if (Named *named = in_running()) named->name = value;
        } else if (string_view *place = text()) {
            *place = value;
        }
        return true;
    }

    bool on_int64(int64_t value, string_view, boost::system::error_code &) { return number(value); }
    bool on_uint64(uint64_t value, string_view, boost::system::error_code &) { return value > INT64_MAX ? other() : number(static_cast<int64_t>(value)); }

    bool on_document_begin(boost::system::error_code &) { return true; }
    bool on_document_end(boost::system::error_code &) { return true; }
    bool on_number_part(string_view, boost::system::error_code &) { return true; }
    bool on_double(double, string_view, boost::system::error_code &) { return other(); }
    bool on_bool(bool, boost::system::error_code &) { return other(); }
    bool on_null(boost::system::error_code &) { return other(); }
    bool on_comment_part(string_view, boost::system::error_code &) { return true; }
    bool on_comment(string_view, boost::system::error_code &) { return true; }

    /// Whether a string is where the line has it. One with escapes is not.
    bool is_in_line(string_view text) const { return text.data() >= from && text.data() <= to; }

private:
    const char *from = nullptr, *to = nullptr;
    /// Whether the line has no relevant members yet except its schema, time and resource.
    bool is_opening = false;
    /// Room for the strings of lines that have escapes. The last string begins at `part`.
    char *room = nullptr;
    size_t size = 0, used = 0, part = 0;

    /// Keeps a part of a string with escapes.
    bool keep(string_view bytes) {
        if (bytes.size() > size - used) return false;
        if (!bytes.empty()) memcpy(room + used, bytes.data(), bytes.size());
        used += bytes.size();
        return true;
    }

    /// The whole string, of which this is the last part. Unescaped parts are in a buffer of the parser, which does not last.
    string_view whole(string_view bytes) {
        if (used == part && is_in_line(bytes)) return bytes;
        if (!keep(bytes)) return {};
        string_view text(room + part, used - part);
        part = used;
        return text;
    }

    /// A value of a type that no member of a report has.
    bool other() {
        if (member == ER_PATCH || member == ER_VERSION) is_misnamed = true;
        return true;
    }

    /// The patch of a launch that is being read.
    Named *in_running() { return is_in_running && member == ER_PATCH && running_count > 0 ? &running[running_count - 1] : nullptr; }

    bool enter(er_key inside) {
        if (depth == 1) section = member;
        else if (member == ER_PATCH || member == ER_VERSION) is_misnamed = true;
        member = inside;
        depth++;
        return true;
    }
    bool leave() {
        depth--;
        member = ER_NO_KEY;
        if (depth == 2) is_in_running = is_in_reasons = false;
        if (depth == 1) previous = section;
        return true;
    }

    string_view *text() {
        switch (member) {
        case ER_SCHEMA: return &opening.schema;
        case ER_TIMESTAMP: return &opening.timestamp;
        case ER_EVENT: return &event;
        case ER_INSTALLATION: return &opening.installation;
        case ER_APP_VERSION: return &opening.app_version;
        case ER_SYSTEM: return &opening.system;
        case ER_SYSTEM_VERSION: return &opening.system_version;
        case ER_PATCH: return &patch;
        case ER_FUNCTION: return &function;
        case ER_FILE: return &file;
        case ER_ERROR: return &error;
        case ER_MESSAGE: case ER_REASON: return &message;
        case ER_STACK: return &stack;
        case ER_ANSWER: return &answer;
        case ER_RESULT: return &result;
        case ER_WRAPPED: return &wrapped;
        default: return nullptr;
        }
    }

    bool number(int64_t value) {
        if (depth == 4) {
            if (member == ER_VERSION && running_count > 0) running[running_count - 1].number = value;
            return member == ER_PATCH ? other() : true;
        }
        switch (member) {
        case ER_PATCH: return other();
        case ER_VERSION:
            line.version = value;
            is_misnamed = is_misnamed || !is_version(value);
            break;
        case ER_COUNT: line.count = value; break;
        case ER_CALLS: line.calls = value; break;
        case ER_FAILURES: line.failures = value; break;
        case ER_FALLBACKS: line.fallbacks = value; break;
        case ER_MEASURED: line.measured = value; break;
        case ER_NANOSECONDS: line.nanoseconds = value; break;
        case ER_LONGEST: line.longest = value; break;
        case ER_LINE_NUMBER: line.line = value; break;
        case ER_AGREED: line.agreed = value; break;
        case ER_DIFFERED: line.differed = value; break;
        case ER_FAILED_RUNS: line.failed_runs = value; break;
        case ER_INCOMPARABLE: line.incomparable = value; break;
        case ER_REASONS:
            if (depth == 3 && reason_count > 0) reasons[reason_count - 1].number = value;
            break;
        case ER_TIMES:
            if (depth == 3 && times < ER_MOST_TIMES) line.times[times++] = value;
            break;
        default: break;
        }
        return true;
    }
};

/// Reads digits; negative if there is anything else.
int64_t digits(const char *bytes, size_t count) {
    int64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] < '0' || bytes[i] > '9') return INT64_MIN;
        value = value * 10 + (bytes[i] - '0');
    }
    return value;
}

/// Reads `YYYY-MM-DDTHH:MM:SSZ`, with or without a fraction. Negative if the string has another form.
int64_t milliseconds(string_view text) {
    const char *t = text.data();
    if (text.size() < 20 || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' || t[16] != ':'
        || t[text.size() - 1] != 'Z')
        return -1;
    int64_t year = digits(t, 4), month = digits(t + 5, 2), day = digits(t + 8, 2);
    int64_t hour = digits(t + 11, 2), minute = digits(t + 14, 2), second = digits(t + 17, 2), fraction = 0;
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 || minute > 59
        || second < 0 || second > 60)
        return -1;
    if (text.size() > 20) {
        if (t[19] != '.') return -1;
        int64_t unit = 100;
        for (size_t i = 20; i < text.size() - 1; i++) {
            int64_t digit = digits(t + i, 1);
            if (digit < 0) return -1;
            fraction += digit * unit;
            unit /= 10;
        }
    }
    // Days since 1970 in the Gregorian calendar, with years that begin in March.
    int64_t y = month <= 2 ? year - 1 : year, of_era = y % 400, in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    int64_t days = y / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + in_year - 719468;
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction;
}

/// How deep objects and arrays may be nested. An event has four levels.
json::parse_options options() {
    json::parse_options options;
    options.max_depth = 8;
    return options;
}

}  // namespace

static uint64_t random_number() {
    std::random_device device;
    return device() | static_cast<uint64_t>(device()) << 32;
}

struct er_reader {
    Texts texts{random_number(), random_number()};
    Words words;
    er_check check = nullptr;
    /// The only device that is requested; 0 for all.
    uint64_t device = 0;
    er_pair pairs[most_running];
    /// The last name with an invalid form.
    std::string misnamed;
};

namespace {

/// A string that gets a number later.
struct Text {
    string_view text;
    uint64_t hash;

    uint32_t number(Texts &texts) const { return texts.number(text.data(), text.size(), hash); }
};

/// A line that was parsed.
struct Parsed {
    er_outcome outcome;
    er_line line;
    Text patch, app_version, system, system_version, function, file, error, message, stack, answer, result;
    /// The first of its patches or reasons.
    size_t pairs;
    /// The name that does not have the form of its member, if the line is ER_MISNAMED.
    string_view misnamed;
};

/// A patch of a launch, or a reason of a comparison.
struct Pair {
    Text text;
    int64_t number;
};

/// This many lines stay in the processor's cache until they are taken.
const size_t most_lines = 256;

/// A line up to the member after its resource. The lines of a device follow one another, and begin in the same way except for the
/// time.
struct Known {
    const char *line = nullptr;
    /// Where that member is, and the time.
    size_t next = 0, time = 0;
    Opening opening;
    /// Its strings with their hashes. The hash of the installation is the device.
    Text installation, app_version, system, system_version;

    /// Whether another line begins like this one, with a member after it, so that only the rest of it needs to be parsed.
    bool begins(const char *other, size_t length) const {
        if (!line || length <= next) return false;
        size_t after = time + opening.timestamp.size();
        if (memcmp(other + after, line + after, next + 1 - after) != 0 || memcmp(other, line, time) != 0) return false;
        for (size_t i = time; i < after; i++)
            if (other[i] < 0x20 || other[i] > 0x7E || other[i] == '"' || other[i] == '\\') return false;
        return true;
    }
};

}  // namespace

struct er_parser {
    const Texts &texts;
    json::basic_parser<Handler> parser{options()};
    Parsed lines[most_lines];
    Pair pairs[most_lines * most_running];
    size_t pair_count = 0, count = 0, taken = 0;
    /// The beginning of the line in the buffer that was last parsed whole.
    Known known;
    /// For each member, the last string that had its form.
    std::string formed[ER_KEYS];
    const er_check check;

    explicit er_parser(const er_reader &reader) : texts(reader.texts), check(reader.check) { parser.handler().words = reader.words; }

    /// Whether a string is empty or has the form of its member.
    bool has_form(er_key key, string_view text) {
        if (text.empty() || !check || text == string_view(formed[key])) return true;
        if (!check(key, text.data(), text.size())) return false;
        formed[key].assign(text.data(), text.size());
        return true;
    }

    /// Finds a name in the line that does not have its form. An empty name means a value of another type.
    ///
    /// An opening that is known was in a line without such a name.
    bool finds_misnamed(Handler &found, bool is_detailed, bool is_known, string_view *name) {
        const Opening &opening = found.opening;
        const struct {
            er_key key;
            string_view text;
        } names[] = {
            {ER_PATCH, found.patch}, {ER_FUNCTION, is_detailed ? found.function : string_view()},
            {ER_ERROR, is_detailed ? found.error : string_view()}, {ER_APP_VERSION, opening.app_version}, {ER_SYSTEM, opening.system},
            {ER_SYSTEM_VERSION, opening.system_version},
        };
        const size_t count = is_known ? 3 : 6;
        *name = {};
        if (found.is_misnamed) return true;
        for (size_t i = 0; i < count; i++) {
            *name = names[i].text;
            if (!has_form(names[i].key, names[i].text)) return true;
        }
        for (size_t i = 0; i < found.running_count; i++) {
            *name = found.running[i].name;
            if (name->empty() || !has_form(ER_PATCH, *name) || !is_version(found.running[i].number)) return true;
        }
        *name = found.patch;
        // A line that names a version names a patch, and its number is one that a manifest may have.
        return found.line.version != 0 && (found.patch.empty() || !is_version(found.line.version));
    }

    Text text(string_view text) const { return {text, text.empty() ? 0 : texts.hash_of(text.data(), text.size())}; }

    static bool are_same(string_view one, string_view other) { return one.data() == other.data() && one.size() == other.size(); }

    /// A string whose hash may be known.
    Text text(string_view found, const Text &known) const { return are_same(found, known.text) ? known : text(found); }

    /// Parses a line without its end.
    void parse(const char *bytes, size_t length) {
        Parsed &parsed = lines[count++];
        parsed.outcome = ER_BLANK;
        if (length == 0) return;
        // A time and a host, a byte order mark, or the zeros of a file that was cut while it was written.
        const char *object = *bytes == '{' ? bytes : static_cast<const char *>(memchr(bytes, '{', length));
        if (!object) object = bytes;
        parse(parsed, object, static_cast<size_t>(bytes + length - object));
        string_view wrapped = parser.handler().wrapped;
        if (parsed.outcome == ER_OTHER_SCHEMA && !wrapped.empty() && wrapped.front() == '{')
            parse(parsed, wrapped.data(), wrapped.find_last_not_of("\r\n") + 1);
    }

    /// Parses an object.
    void parse(Parsed &parsed, const char *bytes, size_t length) {
        parsed.outcome = ER_NOT_JSON;
        Handler &found = parser.handler();
        boost::system::error_code error;
        parser.reset();
        found.begin(bytes, length);
        size_t start = 0;
        if (known.begins(bytes, length)) {
            parser.write_some(true, "{", 1, error);
            start = known.next;
            found.take(known.opening);
            found.opening.timestamp = string_view(bytes + known.time, known.opening.timestamp.size());
        }
        if (parser.write_some(false, bytes + start, length - start, error) != length - start || error) return;
        const Opening &opening = found.opening;
        parsed.outcome = ER_OTHER_SCHEMA;
        if (opening.schema != found.words.schema || found.event.empty()) return;
        parsed.outcome = ER_NO_DEVICE;
        if (opening.installation.empty()) return;
        er_line &line = parsed.line;
        line = found.line;
        line.event = found.words.event(found.event);
        bool is_detailed = line.event == ER_FAILED || line.event == ER_COMPARED || line.event == ER_REFUSED || line.event == ER_FELL_BACK || line.event == ER_ROLLED_BACK
            || line.event == ER_CLOSED || line.event == ER_SYNC_FAILED || line.event == ER_STORE_FAILED || line.event == ER_MISUSED;
        parsed.outcome = ER_MISNAMED;
        if (finds_misnamed(found, is_detailed, start > 0, &parsed.misnamed)) return;
        parsed.outcome = ER_LINE;
        line.time = milliseconds(opening.timestamp);
        line.device = are_same(opening.installation, known.installation.text)
            ? known.installation.hash : texts.hash(opening.installation.data(), opening.installation.size());
        if (found.patch.empty() || line.version <= 0) line.version = 0;
        parsed.patch = text(line.version > 0 ? found.patch : string_view());
        parsed.app_version = text(opening.app_version, known.app_version);
        parsed.system = text(opening.system, known.system);
        parsed.system_version = text(opening.system_version, known.system_version);
        if (start == 0) know(bytes, found, parsed);
        parsed.function = text(is_detailed ? found.function : string_view());
        parsed.file = text(is_detailed ? found.file : string_view());
        parsed.error = text(is_detailed ? found.error : string_view());
        parsed.message = text(is_detailed ? found.message : string_view());
        parsed.stack = text(is_detailed ? found.stack : string_view());
        bool is_comparison = line.event == ER_COMPARED;
        parsed.answer = text(is_comparison ? found.answer : string_view());
        parsed.result = text(is_comparison ? found.result : string_view());
        parsed.pairs = pair_count;
        const Named *listed = is_comparison ? found.reasons : found.running;
        line.pairs = is_comparison ? found.reason_count : line.event == ER_LAUNCHED ? found.running_count : 0;
        for (size_t i = 0; i < line.pairs; i++) pairs[pair_count++] = {text(listed[i].name), listed[i].number};
    }

private:
    /// Remembers how a line begins.
    void know(const char *line, const Handler &found, const Parsed &parsed) {
        known.line = nullptr;
        if (!found.after_resource || !found.is_in_line(found.at_resource.timestamp)) return;
        known.line = line;
        known.next = static_cast<size_t>(found.after_resource - line);
        known.time = static_cast<size_t>(found.at_resource.timestamp.data() - line);
        known.opening = found.at_resource;
        // Members that are repeated after the resource may have changed these.
        known.installation = {found.opening.installation, parsed.line.device};
        known.app_version = parsed.app_version;
        known.system = parsed.system;
        known.system_version = parsed.system_version;
    }
};

er_reader *er_open(const char *schema) {
    er_reader *reader = new (std::nothrow) er_reader;
    if (reader && !reader->texts.is_ready()) {
        delete reader;
        return nullptr;
    }
    if (reader) reader->words.schema = schema;
    return reader;
}

void er_set_event(er_reader *reader, er_event event, const char *name) { reader->words.events[event] = name; }
void er_set_key(er_reader *reader, er_key key, const char *name) { reader->words.keys[key] = name; }
void er_set_check(er_reader *reader, er_check check) { reader->check = check; }
void er_set_installation(er_reader *reader, const char *text, size_t length) { reader->device = reader->texts.hash(text, length); }

void er_close(er_reader *reader) { delete reader; }

er_parser *er_open_parser(const er_reader *reader) {
    return new (std::nothrow) er_parser(*reader);
}

void er_close_parser(er_parser *parser) { delete parser; }

size_t er_parse(er_parser *parser, const char *buffer, size_t length) {
    parser->count = parser->taken = 0;
    parser->pair_count = 0;
    parser->known = {};
    if (!parser->parser.handler().begin_many(length)) return 0;
    size_t size = 0;
    while (parser->count < most_lines) {
        const char *line = buffer + size;
        const char *end = static_cast<const char *>(memchr(line, '\n', length - size));
        if (!end) break;
        size += static_cast<size_t>(end - line) + 1;
        if (end > line && end[-1] == '\r') end--;
        parser->parse(line, static_cast<size_t>(end - line));
    }
    return size;
}

int er_take(er_reader *reader, er_parser *parser, er_line *line, er_outcome *outcome) {
    if (parser->taken == parser->count) return 0;
    const Parsed &parsed = parser->lines[parser->taken++];
    *outcome = parsed.outcome;
    if (parsed.outcome == ER_MISNAMED) reader->misnamed.assign(parsed.misnamed.data(), parsed.misnamed.size());
    // Strings of other devices take no room.
    if (parsed.outcome == ER_LINE && reader->device && parsed.line.device != reader->device) *outcome = ER_OTHER_DEVICE;
    if (*outcome != ER_LINE) return 1;
    Texts &texts = reader->texts;
    *line = parsed.line;
    line->patch = parsed.patch.number(texts);
    line->app_version = parsed.app_version.number(texts);
    line->system = parsed.system.number(texts);
    line->system_version = parsed.system_version.number(texts);
    line->function = parsed.function.number(texts);
    line->file = parsed.file.number(texts);
    line->error = parsed.error.number(texts);
    line->message = parsed.message.number(texts);
    line->stack = parsed.stack.number(texts);
    line->answer = parsed.answer.number(texts);
    line->result = parsed.result.number(texts);
    for (size_t i = 0; i < line->pairs; i++) {
        const Pair &pair = parser->pairs[parsed.pairs + i];
        reader->pairs[i] = {pair.text.number(texts), pair.number};
    }
    return 1;
}

uint32_t er_number(er_reader *reader, const char *text, size_t length) { return reader->texts.number(text, length); }
const char *er_misnamed(const er_reader *reader, size_t *length) {
    *length = reader->misnamed.size();
    return reader->misnamed.data();
}
er_pair er_pair_of(const er_reader *reader, size_t place) { return reader->pairs[place]; }
const char *er_text(const er_reader *reader, uint32_t number, size_t *length) { return reader->texts.text(number, length); }
uint64_t er_dropped_texts(const er_reader *reader) { return reader->texts.dropped(); }
