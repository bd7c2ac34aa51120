#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slidemesh/base/config_table.h"

/// One table of keys for each section of a config and for each method: what a key is called, what it may hold, what
/// holds without it, what it is for, and where its value goes. Reading a config, docs/config.md and `slidemesh list`
/// are all fed from these tables, so that they cannot disagree.

namespace slidemesh {

/// What is said about a key to people.
struct KeyDoc {
  std::string name;
  std::string values;        ///< "a positive number or \"auto\""
  std::string default_text;  ///< what holds without it; empty: nothing does
  std::string meaning;
  std::string only_for;  ///< "huber": where the key is known at all; empty: everywhere
};

/// Which numbers a key takes.
struct NumberRange {
  bool (*contains)(double) = nullptr;
  const char* text = "";
};
inline constexpr NumberRange kPositive{[](double value) { return value > 0.0; }, "a positive number"};
inline constexpr NumberRange kNotNegative{[](double value) { return value >= 0.0; }, "a number that is not negative"};
inline constexpr NumberRange kProbability{[](double value) { return value >= 0.0 && value <= 1.0; }, "a probability"};

namespace keys_detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class Target, class T>
void assign(Target& target, T&& value) {
  if constexpr (is_optional<Target>) {
    target = static_cast<typename Target::value_type>(std::forward<T>(value));
  } else {
    target = static_cast<Target>(std::forward<T>(value));
  }
}

/// How a default is shown. An optional without a value has no default.
template <class T>
std::string default_text(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? default_text(*value) : std::string();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::floating_point<T>) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
    return whole ? std::to_string(static_cast<std::int64_t>(value)) : to_toml({value});
  } else if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? std::string() : "\"" + value + "\"";
  } else {
    return {};
  }
}

[[nodiscard]] std::string quoted_alternatives(const std::vector<std::string>& words);

}  // namespace keys_detail

/// The keys that fill an `Options`. A field is a member pointer, or a function from Options& to a reference. Keys are
/// read in their order; what a key depends on stands before it.
template <class Options>
class Keys {
 public:
  using Reader = std::function<void(ConfigTable& table, const Value& value, Options& options)>;

  template <class Field>
  Keys& number(const char* name, Field field, NumberRange range, const char* meaning) {
    return add({name, range.text, shown(field), meaning, ""}, [=](ConfigTable& table, const Value& value, Options& o) {
      if (!value.is_number() || !std::isfinite(value.number()) || !range.contains(value.number())) {
        table.fail(name, range.text);
      }
      keys_detail::assign(std::invoke(field, o), value.number());
    });
  }

  /// A positive number or a word, most often "auto", which stands for no number in an optional<double>.
  template <class Field>
  Keys& number_or(const char* name, Field field, const char* word, const char* meaning) {
    const std::string expected = std::string("a positive number or \"") + word + "\"";
    return add({name, expected, std::string("\"") + word + "\"", meaning, ""},
               [=](ConfigTable& table, const Value& value, Options& o) {
                 if (value.is_number() && std::isfinite(value.number()) && value.number() > 0.0) {
                   std::invoke(field, o) = value.number();
                 } else if (value.is<std::string>() && value.text() == word) {
                   std::invoke(field, o).reset();
                 } else {
                   table.fail(name, expected);
                 }
               });
  }

  template <class Field>
  Keys& integer(const char* name, Field field, std::int64_t least, std::int64_t most, const char* meaning) {
    const std::string expected = most == std::numeric_limits<std::int64_t>::max()
                                     ? "a whole number of at least " + std::to_string(least)
                                     : "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    return add({name, expected, shown(field), meaning, ""}, [=](ConfigTable& table, const Value& value, Options& o) {
      const auto* whole = value.as<std::int64_t>();
      if (whole == nullptr || *whole < least || *whole > most) {
        table.fail(name, expected);
      }
      keys_detail::assign(std::invoke(field, o), *whole);
    });
  }

  template <class Field>
  Keys& boolean(const char* name, Field field, const char* meaning) {
    return add({name, "true or false", shown(field), meaning, ""},
               [=](ConfigTable& table, const Value& value, Options& o) {
                 if (!value.is<bool>()) {
                   table.fail(name, "true or false");
                 }
                 std::invoke(field, o) = *value.as<bool>();
               });
  }

  template <class Field>
  Keys& text(const char* name, Field field, const char* meaning) {
    return add({name, "a string", shown(field), meaning, ""}, [=](ConfigTable& table, const Value& value, Options& o) {
      std::invoke(field, o) = text_of(table, name, value);
    });
  }

  /// The path of a file; a relative one starts where the config is.
  template <class Field>
  Keys& path(const char* name, Field field, const char* meaning) {
    return add({name, "the path of a file", "", meaning, ""}, [=](ConfigTable& table, const Value& value, Options& o) {
      std::invoke(field, o) = table.directory() / text_of(table, name, value);
    });
  }

  /// One string or a list of them.
  template <class Field>
  Keys& texts(const char* name, Field field, const char* meaning) {
    constexpr const char* kExpected = "a string or a list of strings";
    return add({name, kExpected, "", meaning, ""}, [=](ConfigTable& table, const Value& value, Options& o) {
      std::vector<std::string> all;
      if (value.is<std::string>()) {
        all.push_back(value.text());
      } else if (const auto* list = value.as<Value::List>()) {
        for (const Value& element : *list) {
          if (!element.is<std::string>()) {
            table.fail(name, kExpected);
          }
          all.push_back(element.text());
        }
      } else {
        table.fail(name, kExpected);
      }
      std::invoke(field, o) = std::move(all);
    });
  }

  /// One of some words, each with what it stands for.
  template <class Field, class T = std::remove_cvref_t<std::invoke_result_t<Field, Options&>>>
  Keys& choice(const char* name, Field field, std::vector<std::pair<std::string, std::type_identity_t<T>>> words,
               const char* meaning) {
    std::vector<std::string> names;
    std::string now;
    Options defaults{};
    for (const auto& [word, stands_for] : words) {
      names.push_back(word);
      if (std::invoke(field, defaults) == stands_for) {
        now = "\"" + word + "\"";
      }
    }
    return add({name, keys_detail::quoted_alternatives(names), now, meaning, ""},
               [name, field, words = std::move(words), names](ConfigTable& table, const Value& value, Options& o) {
                 for (const auto& [word, stands_for] : words) {
                   if (value.is<std::string>() && value.text() == word) {
                     std::invoke(field, o) = stands_for;
                     return;
                   }
                 }
                 table.fail_choice(name, names);
               });
  }

  /// One of some words, kept as it is.
  template <class Field>
  Keys& word(const char* name, Field field, const std::vector<std::string>& words, const char* meaning) {
    std::vector<std::pair<std::string, std::string>> themselves;
    for (const std::string& w : words) {
      themselves.emplace_back(w, w);
    }
    return choice(name, field, std::move(themselves), meaning);
  }

  /// Anything else: `reader` fails with `table.fail(name, values)` or returns.
  Keys& other(const char* name, const char* values, const char* default_text, const char* meaning, Reader reader) {
    return add({name, values, default_text, meaning, ""}, std::move(reader));
  }

  /// About the key before: what holds without it, in words.
  Keys& by_default(const char* text) {
    entries_.back().doc.default_text = text;
    return *this;
  }
  /// About the key before: it is known only where this holds.
  Keys& only_for(const char* whom, std::function<bool(const Options&)> applies) {
    entries_.back().doc.only_for = whom;
    entries_.back().applies = std::move(applies);
    return *this;
  }

  void read(ConfigTable& table, Options& options) const {
    for (const Entry& entry : entries_) {
      if (entry.applies && !entry.applies(options)) {
        table.note_elsewhere(entry.doc.name, entry.doc.only_for);
        continue;
      }
      if (const Value* value = table.node(entry.doc.name)) {
        entry.read(table, *value, options);
      }
    }
  }

  [[nodiscard]] std::vector<KeyDoc> docs() const {
    std::vector<KeyDoc> all;
    for (const Entry& entry : entries_) {
      all.push_back(entry.doc);
    }
    return all;
  }

 private:
  struct Entry {
    KeyDoc doc;
    Reader read;
    std::function<bool(const Options&)> applies;
  };

  Keys& add(KeyDoc doc, Reader reader) {
    entries_.push_back({std::move(doc), std::move(reader), nullptr});
    return *this;
  }

  template <class Field>
  static std::string shown(const Field& field) {
    Options defaults{};
    return keys_detail::default_text(std::as_const(std::invoke(field, defaults)));
  }

  static const std::string& text_of(ConfigTable& table, const char* name, const Value& value) {
    if (!value.is<std::string>()) {
      table.fail(name, "a string");
    }
    return value.text();
  }

  std::vector<Entry> entries_;
};

}  // namespace slidemesh
