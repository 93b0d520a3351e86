#include <apps/option_names.hpp>

#include <datasets/text.hpp>
#include <parte/option_fields.hpp>

#include <stdexcept>
#include <type_traits>

namespace parte::apps {
namespace {

void add_word(std::string& text, std::string_view word, std::string_view separator) {
  if (!text.empty()) text.append(separator);
  text.append(word);
}

template <class T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
std::string text_of(const T& value) {
  std::string text;
  if constexpr (kIsNumber<T>) {
    datasets::append_number(text, value);
  } else {
    for (const auto& [word, meaning] : option_words(value))
      if (meaning == value) text = word;
  }
  return text;
}

/// Nothing but true if the text can be a value.
template <class T>
bool parse(std::string_view text, T& value) {
  if constexpr (kIsNumber<T>) {
    const auto number = datasets::parse_number<T>(text);
    if (number) value = *number;
    return number.has_value();
  } else {
    for (const auto& [word, meaning] : option_words(value))
      if (word == text) return value = meaning, true;
    return false;
  }
}

template <class T>
std::string values_of(const T& value) {
  if constexpr (kIsNumber<T>) return std::is_integral_v<T> ? "a whole number" : "a number";
  std::string text;
  if constexpr (!kIsNumber<T>)
    for (const auto& [word, meaning] : option_words(value)) add_word(text, word, ", ");
  return text;
}

}  // namespace

void set_option(Options& options, std::string_view name, std::string_view value) {
  bool known = false;
  for_each_option(options, [&](const char* field_name, auto& field, OptionUse) {
    if (name != field_name) return;
    known = true;
    if (!parse(value, field))
      throw std::invalid_argument("option " + std::string(name) + " is " + values_of(field) + ", not " +
                                  datasets::quoted(value));
  });
  if (known) return;
  std::string names;
  for (const std::string& n : option_names()) add_word(names, n, ", ");
  throw std::invalid_argument("there is no option " + datasets::quoted(name) + "; there are " + names);
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  const Options defaults;
  for_each_option(defaults, [&](const char* name, const auto&, OptionUse) { names.emplace_back(name); });
  return names;
}

std::string to_text(const Options& options, bool features_only) {
  std::string text;
  for_each_option(options, [&](const char* name, const auto& field, OptionUse use) {
    if (features_only && use != OptionUse::features) return;
    add_word(text, name, " ");
    text.append("=").append(text_of(field));
  });
  return text;
}

}  // namespace parte::apps
