// SPDX-License-Identifier: BSD-3-Clause
// E1: maps of the classes A-E in every representation and under every strategy.
#include <map>

#include "cmap_choices.hpp"

namespace bench {
namespace {

// Processor time for a class, and the share of it that one representation may take: a slow builder
// sits out maps (evenly over the class) once it has had its share so far.
constexpr double CLASS_SECONDS = 130, QUICK_CLASS_SECONDS = 9;
constexpr double SHARE = 0.12;
constexpr int MAPS = 1000, QUICK_MAPS = 30;

class ClassRun {
  public:
    ClassRun(const Class &one, const Options &options, Csv &csv, Choices &choices)
        : class_(one),
          csv_(csv),
          choices_(choices),
          count_(options.quick ? QUICK_MAPS : MAPS),
          budget_((options.quick ? QUICK_CLASS_SECONDS : CLASS_SECONDS) * 1e9),
          effort_{options.quick ? 1u << 12 : 1u << 13, 5, false} {}

    void run() {
        const double start = cpu_ns();
        int done = 0;
        while (done < count_ && cpu_ns() - start < budget_)
            one_map(done++);
        std::printf("class %s: %d maps\n", class_.name, done);
        for (const auto &[rep, skips] : skipped_)
            std::printf("  %s sat out %d of them\n", MPIR_cmap_rep_name(rep), skips);
        std::fflush(stdout);
    }

  private:
    void one_map(int number) {
        Random random(static_cast<uint32_t>(class_.name[0]) * 100003u +
                      static_cast<uint32_t>(number));
        const Members members = class_.members(random);
        Subjects maps(members, WORLD);
        maps.add_plain();
        for (int rep = 0; rep < CMAP_REP_COUNT; rep++)
            if (admitted(class_, static_cast<cmap_rep>(rep)))
                add_forced(maps, static_cast<cmap_rep>(rep), number);
        const std::vector<Subject *> forced = maps.all();
        Subject *chosen[3];
        std::vector<Estimated> candidates[3];
        for (cmap_strategy strategy : STRATEGIES) {
            candidates[strategy] = estimates(members, policy_of(strategy));
            chosen[strategy] = add_chosen(maps, strategy, candidates[strategy], forced);
        }
        maps.measure(effort_);
        for (const Subject *subject : forced)
            write(number, *subject, "", members.size());
        for (cmap_strategy strategy : STRATEGIES)
            write(number, *chosen[strategy], MPIR_cmap_strategy_name(strategy), members.size());
        choices_.add_estimates(class_, number, maps, candidates[CMAP_STRATEGY_HYBRID]);
        for (cmap_strategy strategy : STRATEGIES)
            choices_.add_choice(class_, number, maps, strategy, candidates[strategy],
                                *chosen[strategy]);
    }

    void add_forced(Subjects &maps, cmap_rep rep, int number) {
        double &spent = spent_[rep];
        if (spent > budget_ * SHARE * (number + 1) / count_) {
            ++skipped_[rep];
            return;
        }
        const double start = cpu_ns();
        maps.add(hybrid(rep));
        spent += cpu_ns() - start;
    }

    // The map of a strategy; the forced one when it is the same, so that it is measured once.
    Subject *add_chosen(Subjects &maps, cmap_strategy strategy, const std::vector<Estimated> &order,
                        const std::vector<Subject *> &forced) {
        Subject *made = nullptr;
        for (const Estimated &next : order) {
            if (class_.affine)
                made = maps.add(policy_of(strategy));
            else if (admitted(class_, next.rep))
                made = maps.add(policy_of(strategy, next.rep));
            if (made != nullptr) break;
        }
        if (made == nullptr) fail("no representation of the class is allowed");
        for (Subject *same : forced)
            if (same->representation == made->representation && same->bytes == made->bytes) {
                same->build_ns = made->build_ns;
                return same;
            }
        return made;
    }

    void write(int number, const Subject &subject, const char *strategy, std::size_t n) {
        const Times &t = subject.times;
        csv_.row("%s,%d,%zu,%s,%s,%llu,%s,%s,%s,%s,%.0f", class_.name, number, n,
                 subject.representation.c_str(), strategy,
                 static_cast<unsigned long long>(subject.bytes), bench::number(t.seq).c_str(),
                 bench::number(t.rand).c_str(), bench::number(t.tput).c_str(),
                 bench::number(t.rank).c_str(), subject.build_ns);
    }

    const Class &class_;
    Csv &csv_;
    Choices &choices_;
    const int count_;
    const double budget_;
    const Effort effort_;
    std::map<cmap_rep, double> spent_;
    std::map<cmap_rep, int> skipped_;
};

}  // namespace

void classes_experiment(const Options &options) {
    Csv csv(options, "e1_classes.csv",
            "class,map,n,representation,strategy,bytes,seq_ns,rand_ns,tput_ns,rank_ns,build_ns");
    Choices choices(options);
    for (const Class &one : classes())
        ClassRun(one, options, csv, choices).run();
    choices.summary();
}

}  // namespace bench
