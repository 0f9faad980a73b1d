// In place of OpenSSL's function: a world verifies the same signatures thousands of times, which took more than half of its time. Those
// that were right once are remembered by the hash of the key, the signature and the message.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <openssl/evp.h>
#include <string.h>

#ifdef __linux__

enum { places = 1 << 16 };
static unsigned char known[places][32];

int EVP_DigestVerify(
    EVP_MD_CTX *context, const unsigned char *signature, size_t length, const unsigned char *message, size_t count) {
    unsigned char key[32], hash[32];
    size_t size = sizeof key;
    int is_hashed = 0;
    EVP_PKEY *pkey = EVP_PKEY_CTX_get0_pkey(EVP_MD_CTX_get_pkey_ctx(context));
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (EVP_PKEY_get_raw_public_key(pkey, key, &size) == 1) // Ed25519
        is_hashed = EVP_DigestInit_ex(digest, EVP_sha256(), NULL) && EVP_DigestUpdate(digest, key, size)
            && EVP_DigestUpdate(digest, signature, length) && EVP_DigestUpdate(digest, message, count)
            && EVP_DigestFinal_ex(digest, hash, NULL);
    EVP_MD_CTX_free(digest);
    unsigned char *place = known[(hash[0] | hash[1] << 8) % places];
    if (is_hashed && memcmp(place, hash, sizeof hash) == 0) return 1;
    int (*verify)(EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t) =
        dlsym(RTLD_NEXT, "EVP_DigestVerify");
    int result = verify(context, signature, length, message, count);
    if (is_hashed && result == 1) memcpy(place, hash, sizeof hash);
    return result;
}

#endif
