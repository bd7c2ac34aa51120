#ifdef SLIDEMESH_POSTGRES

#include <algorithm>
#include <future>
#include <optional>
#include <utility>

#include "table.h"
#include "worker.h"

namespace slidemesh::postgres {
namespace {

constexpr const char* kFetch = "slidemesh_fetch";
constexpr Oid kInt8 = 20;
constexpr int kBinary = 1;
constexpr int kFirstWithPlanCacheMode = 120000;

class PostgresSource final : public PartSource<Table> {
 public:
  PostgresSource(std::shared_ptr<Table> table, std::shared_ptr<Connection> connection, std::shared_ptr<Worker> worker,
                 NodePart part)
      : PartSource(std::move(table), std::move(part)),
        connection_(std::move(connection)),
        worker_(std::move(worker)),
        decoder_(table_->decoder()) {
    // No rows: the server makes its plan and fills its caches here, so that no step waits for that.
    const std::lock_guard lock(connection_->mutex);
    ask_and_take({}, fetched_);
  }
  PostgresSource(const PostgresSource&) = delete;
  PostgresSource& operator=(const PostgresSource&) = delete;
  ~PostgresSource() override {
    if (pending_.valid()) {
      pending_.wait();
    }
  }

  void scan(AccessPurpose /*purpose*/, const Visit& visit) override {
    const std::lock_guard lock(connection_->mutex);
    settle_prefetched();
    if (part_.is_range()) {
      scan_range(visit);
    } else {
      scan_numbers(visit);
    }
  }

  RowBlock fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    const std::lock_guard lock(connection_->mutex);
    settle_prefetched();
    std::size_t from = 0;
    if (prefetched_ready_ && come_next(numbers)) {
      from = std::exchange(served_, served_ + numbers.size());
    } else {
      prefetched_ready_ = false;
      ask_and_take(part_.rows(numbers), fetched_);
    }
    RowBlock block = view(fetched_);
    block.count = static_cast<Index>(numbers.size());
    block.selection += from;
    return block;
  }

  [[nodiscard]] bool gains_from_prefetch() const override { return worker_ != nullptr; }

  /// Has the question asked and the answer taken in by the worker while this thread computes.
  void prefetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) override {
    if (!gains_from_prefetch() || numbers.empty()) {
      return;
    }
    const std::lock_guard lock(connection_->mutex);
    settle_prefetched();
    if (prefetched_ready_ && come_next(numbers)) {
      return;
    }
    prefetched_ready_ = false;
    served_ = 0;
    prefetched_.assign(numbers.begin(), numbers.end());
    pending_ = worker_->submit([this] { ask_ahead(); }, [this] { take_prefetched(); });
  }

 private:
  /// Whether these are the first of the rows that were asked for ahead and have not been served.
  [[nodiscard]] bool come_next(std::span<const Index> numbers) const {
    const auto rest = std::span(prefetched_).subspan(served_);
    return numbers.size() <= rest.size() && std::equal(numbers.begin(), numbers.end(), rest.begin());
  }

  /// Rows in the order in which they came, and for each row of a question its place among them.
  struct Answer {
    Rows rows;
    std::vector<Index> selection;
  };

  /// Rows that follow one another in the order of keys: one COPY, resumed where a lost server cut it.
  void scan_range(const Visit& visit) {
    Index next = 0;     // of this node's rows, the first that has not arrived
    Index visited = 0;  // the first that has not been shown
    decoder_.start(block_);
    const auto show = [&] {
      visit(view_of(block_), visited);
      visited = next;
      decoder_.start(block_);
    };
    connection_->with_retries([&](PGconn* session) {
      if (next == rows()) {
        return;
      }
      // Bounds that the planner cannot see: where it sees them it may look up the ends of the table, which are rows
      // too.
      const auto bound = [&](Index row) {
        return "(SELECT " + connection_->literal(to_text(table_->key(row))) + "::" + table_->layout().key_type->name +
               ")";
      };
      const std::string& key_name = table_->layout().key;
      const std::string sql = table_->layout().select_rows() + " WHERE " + key_name + " BETWEEN " +
                              bound(part_.row(next)) + " AND " + bound(part_.row(rows() - 1)) + " ORDER BY " + key_name;
      connection_->copy_out(session, sql, table_->layout().row_columns(), [&](std::span<const Field> fields) {
        table_->expect_key(table_->key_of(fields), part_.row(next), part_.row(rows()));
        append(fields, part_.row(next), block_);
        if (++next % table_->block_rows() == 0) {
          show();
        }
      });
    });
    if (next != rows()) {
      table_->fail_gone(part_.row(next));
    }
    if (visited != rows()) {
      show();
    }
  }

  /// Rows from here and there: by key, a block at a time.
  void scan_numbers(const Visit& visit) {
    for (Index at = 0; at < rows(); at += table_->block_rows()) {
      ask_and_take(part_.rows(at, std::min(table_->block_rows(), rows() - at)), scanned_);
      visit(view(scanned_), at);
    }
  }

  void append(std::span<const Field> fields, Index table_row, Rows& rows) {
    table_->recognize(table_row, decoder_.append(fields, rows));
    rows.labels.push_back(table_->label(table_row));
  }

  void prepare(PGconn* session) {
    // A statement lives as long as its session; sources that share one share the statement.
    if (connection_->has_prepared()) {
      return;
    }
    // Batches are small and many, and every size of them wants the same plan: it is made once.
    if (PQserverVersion(session) >= kFirstWithPlanCacheMode) {
      connection_->execute(session, "SET plan_cache_mode = force_generic_plan", PGRES_COMMAND_OK);
    }
    const std::string sql = table_->layout().select_rows() + " WHERE " + table_->layout().key + " = ANY($1)";
    connection_->checked(session, PQprepare(session, kFetch, sql.c_str(), 1, &table_->layout().key_type->array),
                         PGRES_COMMAND_OK);
    connection_->set_prepared();
  }

  void ask(PGconn* session, std::span<const Index> rows) {
    const bool as_text = table_->layout().key_type->is_text;
    if (as_text) {
      write_texts(rows);
    } else {
      write_numbers(rows);
    }
    const char* value = question_.c_str();
    const int length = static_cast<int>(question_.size());
    const int format = as_text ? 0 : kBinary;
    if (PQsendQueryPrepared(session, kFetch, 1, &value, &length, &format, kBinary) == 0) {
      throw ConnectionLost{"the question could not be sent"};
    }
  }

  /// A binary array of keys, in `question_`.
  void write_numbers(std::span<const Index> rows) {
    question_.clear();
    for (const std::int32_t word :
         {1, 0, static_cast<std::int32_t>(kInt8), static_cast<std::int32_t>(rows.size()), 1}) {
      write_int32(question_, word);
    }
    for (const Index row : rows) {
      write_int32(question_, 8);
      write_int64(question_, table_->keys().number(row));
    }
  }

  /// An array of keys as text, each in quotes.
  void write_texts(std::span<const Index> rows) {
    question_.assign(1, '{');
    for (const Index row : rows) {
      question_ += question_.size() > 1 ? ",\"" : "\"";
      for (const char c : table_->keys().text(row)) {
        question_.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
      }
      question_ += '"';
    }
    question_ += '}';
  }

  void ask_and_take(std::span<const Index> rows, Answer& into) {
    connection_->with_retries([&](PGconn* session) {
      prepare(session);
      ask(session, rows);
      take(session, rows, into);
    });
  }

  void take(PGconn* session, std::span<const Index> rows, Answer& into) {
    const Result answer = connection_->last_result(session, PGRES_TUPLES_OK);
    by_row_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      by_row_.emplace_back(rows[i], static_cast<Index>(i));
    }
    std::sort(by_row_.begin(), by_row_.end());
    into.selection.assign(rows.size(), -1);
    decoder_.start(into.rows);
    const int columns = PQnfields(answer.get());
    connection_->expect(columns == table_->layout().row_columns(), "another number of columns than asked for");
    fields_.resize(static_cast<std::size_t>(columns));
    for (int r = 0; r < PQntuples(answer.get()); ++r) {
      for (int c = 0; c < columns; ++c) {
        fields_[static_cast<std::size_t>(c)] = {PQgetvalue(answer.get(), r, c), PQgetisnull(answer.get(), r, c) != 0
                                                                                    ? -1
                                                                                    : PQgetlength(answer.get(), r, c)};
      }
      place(table_->key_of(fields_), r, into);
    }
    const auto missing = std::find(into.selection.begin(), into.selection.end(), Index{-1});
    if (missing != into.selection.end()) {
      table_->fail_gone(rows[static_cast<std::size_t>(missing - into.selection.begin())]);
    }
  }

  void place(const RowKey& key, Index position, Answer& into) {
    const std::optional<Index> found = table_->keys().find(key);
    auto asked = std::lower_bound(by_row_.begin(), by_row_.end(), std::pair(found.value_or(-1), Index{0}));
    if (!found || asked == by_row_.end() || asked->first != *found ||
        into.selection[static_cast<std::size_t>(asked->second)] >= 0) {
      table_->fail_new(key);
    }
    const Index row = asked->first;
    append(fields_, row, into.rows);
    for (; asked != by_row_.end() && asked->first == row; ++asked) {
      into.selection[static_cast<std::size_t>(asked->second)] = position;
    }
  }

  /// The worker does this and the next, and nobody else touches this source meanwhile.
  /// A server that is lost meanwhile is waited for by `fetch`, not here.
  void ask_ahead() {
    wanted_ = part_.rows(prefetched_);
    asked_ahead_ = connection_->try_once([&](PGconn* session) {
      prepare(session);
      ask(session, wanted_);
    });
  }

  /// The answer waits for `fetch`: what was asked for once is not asked for again, unless it went with its session.
  void take_prefetched() {
    prefetched_ready_ =
        asked_ahead_ && connection_->try_once([&](PGconn* session) { take(session, wanted_, fetched_); });
  }

  /// Waits for the worker, so that the session is free; its errors come out here.
  void settle_prefetched() {
    if (pending_.valid()) {
      pending_.get();
    }
  }

  [[nodiscard]] static RowBlock view(const Answer& answer) {
    RowBlock block = view_of(answer.rows);
    block.count = static_cast<Index>(answer.selection.size());
    block.selection = answer.selection.data();
    return block;
  }

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Worker> worker_;  ///< none where nodes share a connection
  Decoder decoder_;

  Rows block_;
  Answer scanned_;
  Answer fetched_;
  std::span<const Index> wanted_;  ///< what was asked for ahead, as numbers of the table
  std::vector<std::pair<Index, Index>> by_row_;
  std::vector<Field> fields_;
  std::string question_;

  std::future<void> pending_;
  bool asked_ahead_ = false;
  bool prefetched_ready_ = false;
  std::vector<Index> prefetched_;
  std::size_t served_ = 0;  ///< of those
};

}  // namespace

std::shared_ptr<RowSource> make_source(std::shared_ptr<Table> table, std::shared_ptr<Connection> connection,
                                       std::shared_ptr<Worker> worker, NodePart part) {
  return std::make_shared<PostgresSource>(std::move(table), std::move(connection), std::move(worker), std::move(part));
}

}  // namespace slidemesh::postgres

#endif  // SLIDEMESH_POSTGRES
