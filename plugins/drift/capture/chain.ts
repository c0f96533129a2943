/** What a run told of a host's facts: they were `old_hash`, they are `new_hash`. */
export interface Report {
  run_id: number;
  old_hash: string | null;
  new_hash: string;
  /** nothing that belongs before it is on its way any more */
  settled: boolean;
}

/** The next state of a host's facts, and the run that told of it. */
export interface Step {
  hash: string;
  run_id: number | null;
}

export interface Chain {
  steps: Step[];
  /** runs whose reports are dealt with */
  done: number[];
  /** runs whose reports wait for what belongs before them */
  waiting: number[];
}

export interface HostState {
  /** core's hash of the newest snapshot */
  latest: string | null;
  /** core's hash of the host's facts now */
  current: string | null;
}

/**
 * Puts the reports of one host into the order in which its facts changed, however late each of them comes. Each begins where
 * another ends; of several the earlier run is first. One that begins nowhere waits, since two jobs may end together and the
 * second be told of first. Once nothing can be missing any more, facts changed while nobody looked: the state that it begins
 * with becomes a step of nobody's. What tells of a past that later snapshots have passed is dropped.
 */
export function chainOf(reports: readonly Report[], { latest, current }: HostState): Chain {
  const left = reports.toSorted((a, b) => a.run_id - b.run_id);
  const chain: Chain = { steps: [], done: [], waiting: [] };
  let at = latest;
  const take = (report: Report) => {
    left.splice(left.indexOf(report), 1);
    chain.steps.push({ hash: report.new_hash, run_id: report.run_id });
    chain.done.push(report.run_id);
    at = report.new_hash;
  };
  for (;;) {
    const next = left.find(({ old_hash: old }) => old === at);
    if (next) {
      take(next);
      continue;
    }
    const [first] = left.filter(({ settled }) => settled);
    if (!first) break;
    if (at !== null && at === current) {
      left.splice(left.indexOf(first), 1);
      chain.done.push(first.run_id);
      continue;
    }
    if (first.old_hash !== null && first.old_hash !== at) chain.steps.push({ hash: first.old_hash, run_id: null });
    take(first);
  }
  chain.waiting = left.map(({ run_id: run }) => run);
  return chain;
}
