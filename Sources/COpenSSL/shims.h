// What Swift cannot import from OpenSSL 3: macros with a cast or a call in them, typed stacks, and
// variadic functions. Each shim may go when OpenSSL turns its macro into a function.
#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pemerr.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs12err.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "Fanfare needs OpenSSL 3.0 or newer"
#endif

// Macros around SSL_CTX_ctrl and SSL_ctrl.
static inline int fanfare_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int fanfare_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}

static inline void fanfare_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int fanfare_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int fanfare_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// The options are macros with a shift and a cast (SSL_OP_BIT).
static inline void fanfare_SSL_CTX_forbid_renegotiation_and_compression(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

// A write that could not be made is asked for again with the same bytes, which may have moved.
static inline void fanfare_SSL_CTX_set_buffer_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// Macros around BIO_set_flags, BIO_clear_flags and BIO_ctrl.
static inline void fanfare_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }

static inline void fanfare_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline long fanfare_BIO_get_mem_data(BIO *bio, char **data) {
    return BIO_get_mem_data(bio, data);
}

// STACK_OF(X509) is a family of macros.
static inline int fanfare_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

static inline X509 *fanfare_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline void fanfare_sk_X509_free_all(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

// EVP_EC_gen ends in a variadic call.
static inline EVP_PKEY *fanfare_generate_P256_key(void) { return EVP_EC_gen("P-256"); }

// EVP_RSA_gen is a macro around the same call.
static inline EVP_PKEY *fanfare_generate_RSA_key(unsigned int bits) { return EVP_RSA_gen(bits); }

// X509V3_set_ctx_nodb is a macro that assigns a field.
static inline void fanfare_X509V3_set_ctx(X509V3_CTX *context, X509 *issuer, X509 *subject) {
    X509V3_set_ctx(context, issuer, subject, NULL, NULL, 0);
    X509V3_set_ctx_nodb(context);
}

// A macro that is an expression of other macros with casts.
static inline int fanfare_ERR_R_UNSUPPORTED(void) { return ERR_R_UNSUPPORTED; }

// The flags are macros with casts: the distinguished name in RFC 4514 form, its text in UTF-8.
static inline int fanfare_X509_NAME_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

// MBSTRING_UTF8 is built from another macro with a shift.
static inline int fanfare_MBSTRING_UTF8(void) { return MBSTRING_UTF8; }

// The result is a pointer into the memory that was given, which says no more than whether it was done.
static inline int fanfare_HMAC_SHA256(
    const void *key, size_t key_count, const unsigned char *message, size_t message_count,
    unsigned char *code, unsigned int *code_count) {
    return HMAC(EVP_sha256(), key, (int)key_count, message, message_count, code, code_count) != NULL;
}

// Signs a digest with a nonce of the caller's. OpenSSL 3.0 has no other function for that than the deprecated
// ones (EVP's "nonce-type" came with 3.2), and its own arithmetic with the key and the nonce is careful about time.
//
// The result is 1 and r and s in 32 bytes each, 0 if the nonce is none for this message, and -1 on a failure.
static inline int fanfare_sign_P256(
    EVP_PKEY *key, const unsigned char *digest, const unsigned char *nonce, unsigned char *rs) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    EC_KEY *pair = EVP_PKEY_get1_EC_KEY(key);
    const EC_GROUP *group = pair ? EC_KEY_get0_group(pair) : NULL;
    const BIGNUM *order = group ? EC_GROUP_get0_order(group) : NULL;
    BN_CTX *context = BN_CTX_secure_new();
    BN_MONT_CTX *mont = BN_MONT_CTX_new();
    BIGNUM *k = BN_secure_new(), *inverse = BN_secure_new();
    BIGNUM *x = BN_new(), *r = BN_new(), *exponent = BN_new();
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    ECDSA_SIG *signature = NULL;
    int result = -1;
    if (order && context && mont && k && inverse && x && r && exponent && point
        && BN_bin2bn(nonce, 32, k)) {
        BN_set_flags(k, BN_FLG_CONSTTIME);
        if (BN_is_zero(k) || BN_cmp(k, order) >= 0) {
            result = 0;
        } else if (
            EC_POINT_mul(group, point, k, NULL, NULL, context)
            && EC_POINT_get_affine_coordinates(group, point, x, NULL, context)
            && BN_nnmod(r, x, order, context)
            // The inverse of k is k^(order - 2): the order is prime, and the exponent is no secret.
            && BN_copy(exponent, order) && BN_sub_word(exponent, 2)
            && BN_MONT_CTX_set(mont, order, context)
            && BN_mod_exp_mont_consttime(inverse, k, exponent, order, context, mont)) {
            BN_set_flags(inverse, BN_FLG_CONSTTIME);
            signature = BN_is_zero(r) ? NULL : ECDSA_do_sign_ex(digest, 32, inverse, r, pair);
            if (BN_is_zero(r)) {
                result = 0;
            } else if (!signature) {
                // The other part would be zero with this nonce.
                if (ERR_GET_REASON(ERR_peek_last_error()) == EC_R_NEED_NEW_SETUP_VALUES) {
                    ERR_clear_error();
                    result = 0;
                }
            } else if (
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), rs, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), rs + 32, 32) == 32) {
                result = 1;
            }
        }
    }
    ECDSA_SIG_free(signature);
    EC_POINT_free(point);
    BN_free(exponent);
    BN_free(r);
    BN_clear_free(x);
    BN_clear_free(inverse);
    BN_clear_free(k);
    BN_MONT_CTX_free(mont);
    BN_CTX_free(context);
    EC_KEY_free(pair);
    return result;
#pragma GCC diagnostic pop
}

// The private number of a key on P-256 in 32 bytes; the result is 1 if it has one.
static inline int fanfare_P256_private_number(EVP_PKEY *key, unsigned char *number) {
    BIGNUM *private_number = NULL;
    int done = EVP_PKEY_get_bn_param(key, "priv", &private_number)
        && BN_bn2binpad(private_number, number, 32) == 32;
    BN_clear_free(private_number);
    return done;
}

// A digest modulo the order of P-256, in 32 bytes.
static inline int fanfare_P256_reduce(const unsigned char *digest, unsigned char *reduced) {
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BN_CTX *context = BN_CTX_new();
    BIGNUM *number = BN_bin2bn(digest, 32, NULL);
    int done = group && context && number
        && BN_nnmod(number, number, EC_GROUP_get0_order(group), context)
        && BN_bn2binpad(number, reduced, 32) == 32;
    BN_free(number);
    BN_CTX_free(context);
    EC_GROUP_free(group);
    return done;
}
