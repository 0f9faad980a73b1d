#include "CCurl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>

#if defined(__APPLE__)
static const char library[] = "libcurl.4.dylib";
#else
static const char library[] = "libcurl.so.4";
#endif

static struct {
    CURLcode (*global_init)(long);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_perform)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    const char *(*easy_strerror)(CURLcode);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
} curl;

const char *ccurl_open(void) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    const struct {
        void *place;
        const char *name;
    } symbols[] = {
        {&curl.global_init, "curl_global_init"},
        {&curl.easy_init, "curl_easy_init"},
        {&curl.easy_cleanup, "curl_easy_cleanup"},
        {&curl.easy_reset, "curl_easy_reset"},
        {&curl.easy_perform, "curl_easy_perform"},
        {&curl.easy_setopt, "curl_easy_setopt"},
        {&curl.easy_getinfo, "curl_easy_getinfo"},
        {&curl.easy_strerror, "curl_easy_strerror"},
        {&curl.slist_append, "curl_slist_append"},
        {&curl.slist_free_all, "curl_slist_free_all"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(handle, symbols[i].name);
        if (!symbol) return dlerror();
        *(void **)symbols[i].place = symbol;
    }
    return curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl cannot be initialized";
}

CURL *ccurl_new(void) { return curl.easy_init(); }
void ccurl_free(CURL *handle) { curl.easy_cleanup(handle); }
void ccurl_reset(CURL *handle) { curl.easy_reset(handle); }
const char *ccurl_message(CURLcode code) { return curl.easy_strerror(code); }

CURLcode ccurl_perform(CURL *handle, char *message) {
    message[0] = 0;
    curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, message);
    CURLcode code = curl.easy_perform(handle);
    curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
    return code;
}

const char *ccurl_proxy_variable(int secure) {
    static const char *const for_https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
    /* Not HTTP_PROXY: a CGI program has it from the header Proxy of a request. */
    static const char *const for_http[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    for (const char *const *name = secure ? for_https : for_http; *name; name++) {
        const char *value = getenv(*name);
        if (value && *value) return *name;
    }
    return NULL;
}

long ccurl_verify_result(CURL *handle) {
    long result = 0;
    return curl.easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &result) == CURLE_OK ? result : 0;
}

long ccurl_proxy_status(CURL *handle) {
    long status = 0;
    return curl.easy_getinfo(handle, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0;
}

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static size_t receive_body(char *data, size_t size, size_t count, void *context) {
    ccurl_callbacks *callbacks = context;
    return callbacks->body(data, size * count, callbacks->context);
}

static size_t receive_header(char *data, size_t size, size_t count, void *context) {
    ccurl_callbacks *callbacks = context;
    return callbacks->header(data, size * count, callbacks->context);
}

static int monitor(void *context, curl_off_t all, curl_off_t got, curl_off_t out, curl_off_t sent) {
    (void)all, (void)got, (void)out, (void)sent;
    ccurl_callbacks *callbacks = context;
    return callbacks->monitor(callbacks->context);
}

/* A program that the app starts does not inherit its connections. */
#if defined(SOCK_CLOEXEC)
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context, (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
#else
#include <fcntl.h>

/* A program that another thread starts in between does. */
static int close_on_exec(void *context, curl_socket_t socket, curlsocktype purpose) {
    (void)context, (void)purpose;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    return CURL_SOCKOPT_OK;
}
#endif

void ccurl_set_callbacks(CURL *handle, ccurl_callbacks *callbacks) {
    curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_body);
    curl.easy_setopt(handle, CURLOPT_WRITEDATA, callbacks);
    curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_header);
    curl.easy_setopt(handle, CURLOPT_HEADERDATA, callbacks);
    curl.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, monitor);
    curl.easy_setopt(handle, CURLOPT_XFERINFODATA, callbacks);
    curl.easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
#if defined(SOCK_CLOEXEC)
    curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
#else
    curl.easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, close_on_exec);
#endif
}

void ccurl_set_upload(CURL *handle, const void *data, size_t size) {
    curl.easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "PUT");
    curl.easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
    curl.easy_setopt(handle, CURLOPT_POSTFIELDS, data);
}

struct curl_slist *ccurl_append(struct curl_slist *list, const char *text) {
    return curl.slist_append(list, text);
}
void ccurl_free_list(struct curl_slist *list) { curl.slist_free_all(list); }
