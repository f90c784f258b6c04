#ifndef FANFARE_PARSER_HPP
#define FANFARE_PARSER_HPP

// Only the declarations are wanted; the code for each instruction set is in the library.
#define SIMDJSON_EXCEPTIONS 0
#define SIMDJSON_IMPLEMENTATION_ICELAKE 0
#define SIMDJSON_IMPLEMENTATION_HASWELL 0
#define SIMDJSON_IMPLEMENTATION_WESTMERE 0
#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "CSimdjson.h"
#include "Keys.hpp"

/// simdjson's first stage, the wanted keys, and the stack of the walk.
struct fanfare_json_parser {
    /// What is open: a JSON text may nest 1,024 deep, which is also simdjson's own bound.
    static constexpr uint32_t depth_max = 1024;

    /// An object or array that is open.
    struct Frame {
        /// Where in the tree of keys its members are looked up.
        int32_t keys;
        /// The wanted key whose value it is, or `Keys::none`.
        int32_t wanted;
        uint32_t start;
        bool is_array;
    };

    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
    fanfare::Keys keys;
    Frame stack[depth_max];

    /// Finds the tokens of a text. Does not read beyond its end.
    ///
    /// After success `tokens()` are the offsets at which tokens begin, followed by `length`.
    simdjson::error_code index(const uint8_t *bytes, size_t length) noexcept {
        if (!stage || length > stage->capacity()) grow(length);
        // simdjson without vector instructions would read on behind a character that is cut off.
        if (ends_within_character(bytes, length)) return simdjson::UTF8_ERROR;
        auto error = length == 0
            ? simdjson::EMPTY
            : stage->stage1(bytes, length, simdjson::stage1_mode::regular);
        if (error == simdjson::EMPTY) {
            stage->n_structural_indexes = 0;
            stage->structural_indexes[0] = uint32_t(length);
            return simdjson::SUCCESS;
        }
        return error;
    }

    const uint32_t *tokens() const noexcept { return stage->structural_indexes.get(); }

private:
    static bool ends_within_character(const uint8_t *bytes, size_t length) noexcept {
        return (length > 0 && bytes[length - 1] >= 0xC0) || (length > 1 && bytes[length - 2] >= 0xE0)
            || (length > 2 && bytes[length - 3] >= 0xF0);
    }

    void grow(size_t length) noexcept {
        // A power of two, so that ever longer texts do not allocate every time.
        size_t capacity = 4096;
        while (capacity < length) capacity *= 2;
        auto error = stage
            ? stage->set_capacity(capacity)
            : simdjson::get_active_implementation()->create_dom_parser_implementation(
                capacity, depth_max, stage);
        if (error) std::abort();
    }
};

#endif
