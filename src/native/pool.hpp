// Threads of our own, for work that needs no interpreter: blocks of a file are read into columns ahead of their scoring.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace partwise {

// Runs tasks in the order in which they come; those not begun when the pool ends are dropped.
class Pool {
  public:
    explicit Pool(std::size_t threads) {
        for (std::size_t i = 0; i < threads; ++i) {
            try {
                threads_.emplace_back([this] { work(); });
            } catch (const std::system_error&) {
                break;  // no more can be had; without any, tasks run where they are asked for
            }
        }
    }

    ~Pool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    void add(std::function<void()> task) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        changed_.notify_one();
    }

  private:
    void work() {
        while (true) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                changed_.wait(lock, [this] { return ended_ || !tasks_.empty(); });
                if (ended_) return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> threads_;
    bool ended_ = false;
};

// A value that a task of a pool computes. Whoever asks for it before the task has begun computes it there and then.
template <class T>
class Later {
  public:
    Later(Pool* pool, std::function<T()> compute) : state_(std::make_shared<State>()) {
        state_->compute = std::move(compute);
        if (pool) pool->add([state = state_] { run(*state); });
    }

    // What the computation refers to may go as soon as this has: one that has begun is waited for, another never runs.
    ~Later() {
        std::unique_lock<std::mutex> lock(state_->mutex);
        if (state_->step == Step::waiting) state_->step = Step::done;
        state_->changed.wait(lock, [this] { return state_->step == Step::done; });
        state_->compute = nullptr;
    }

    Later(const Later&) = delete;
    Later& operator=(const Later&) = delete;

    // The value, once.
    T get() {
        run(*state_);
        std::unique_lock<std::mutex> lock(state_->mutex);
        state_->changed.wait(lock, [this] { return state_->step == Step::done; });
        if (state_->error) std::rethrow_exception(state_->error);
        return std::move(state_->value);
    }

  private:
    enum class Step { waiting, running, done };
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        Step step = Step::waiting;
        std::function<T()> compute;
        T value{};
        std::exception_ptr error;
    };

    static void run(State& state) {
        {
            const std::lock_guard<std::mutex> lock(state.mutex);
            if (state.step != Step::waiting) return;
            state.step = Step::running;
        }
        try {
            state.value = state.compute();
        } catch (...) {
            state.error = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(state.mutex);
        state.step = Step::done;
        state.changed.notify_all();
    }

    std::shared_ptr<State> state_;
};

}  // namespace partwise
