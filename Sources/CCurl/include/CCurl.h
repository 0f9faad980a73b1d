/* libcurl, opened when it is first used: 33 shared libraries come with it, which a program that never asks for a URL
   must not load. Only the header is used to build. */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stddef.h>

/* Opens libcurl and initializes it. Returns NULL, or why it cannot be opened, which lasts until the next error of the
   thread. Call it once, before anything else here. */
const char *ccurl_open(void);

/* NULL without memory. */
CURL *ccurl_new(void);
void ccurl_free(CURL *handle);
void ccurl_reset(CURL *handle);
/* Makes the transfer. `message` has room for CURL_ERROR_SIZE bytes. Afterwards it has the cause of a failure, or is
   empty if libcurl knows no more than the code. */
CURLcode ccurl_perform(CURL *handle, char *message);
const char *ccurl_message(CURLcode code);
/* OpenSSL's verdict on the server's certificate in the last transfer (X509_V_…); 0 (X509_V_OK) if there is none. */
long ccurl_verify_result(CURL *handle);
/* What a proxy has answered to CONNECT in the last transfer; 0 if there was none. */
long ccurl_proxy_status(CURL *handle);
/* The variable of the environment in which libcurl finds a proxy: for https if `secure`, else for http. NULL if there
   is none. */
const char *ccurl_proxy_variable(int secure);

/* curl_easy_setopt is variadic, which Swift cannot call. libcurl copies the strings. */
CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers);

/* Makes the transfer a PUT of the data, which are not copied: they must live until it has ended. */
void ccurl_set_upload(CURL *handle, const void *data, size_t size);

/* Receives data, and each header line. Returning a number other than `count` ends the transfer. */
typedef size_t (*ccurl_receiver)(const char *data, size_t count, void *context);
/* Is called about once a second, and more often while data arrive. Returning a number other than 0 ends the
   transfer. */
typedef int (*ccurl_monitor)(void *context);

typedef struct {
    ccurl_receiver body, header;
    ccurl_monitor monitor;
    void *context;
} ccurl_callbacks;

/* `callbacks` must live until the transfer has ended. */
void ccurl_set_callbacks(CURL *handle, ccurl_callbacks *callbacks);

/* Adds a copy of the text to a list, which is NULL at first. Returns the list; NULL without memory. */
struct curl_slist *ccurl_append(struct curl_slist *list, const char *text);
void ccurl_free_list(struct curl_slist *list);

#endif
