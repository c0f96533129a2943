/** Tasks of one plugin that a node runs at once. */
export const PLUGIN_TASKS_AT_ONCE = 4;
const mostPluginTasks = 36;

/** Lanes by name, with how many of their tasks a node runs at once. */
export type Lanes = ReadonlyMap<string, number>;

/** Places for all lanes beside those of other tasks; beyond the cap they share, each still with its limit. */
export const placesForLanes = (lanes: Lanes): number =>
  Math.min(
    mostPluginTasks,
    [...lanes.values()].reduce((sum, places) => sum + places, 0),
  );

/**
 * Keeps one plugin's tasks from taking everybody's places: a fetch leaves out the tasks of plugins that have
 * all of theirs. A fetch that is under way may bring in a task of any plugin, so it counts for each of them;
 * when that kept a fetch from finding anything, `look` makes the queue look again.
 */
export class PluginSlots {
  readonly #running = new Map<string, number>();
  readonly #lanes: Lanes;
  readonly #look: () => void;
  #fetching = 0;
  #careful = false;
  /** whose tasks were the latest, and how many in a row */
  #streak = { plugin: '', length: 0 };

  constructor(lanes: Lanes, look: () => void) {
    this.#lanes = lanes;
    this.#look = look;
  }

  /** Called once for each fetch, which ends by `fetched`. */
  forbidden(): string[] {
    const full: string[] = [];
    // the queue hands out the oldest first: without turns, thousands of quick tasks would keep all others behind them
    if (this.#streak.length >= PLUGIN_TASKS_AT_ONCE) {
      full.push(this.#streak.plugin);
      this.#streak.length = 0;
      this.#careful = true;
    }
    for (const [plugin, places] of this.#lanes) {
      const running = this.#running.get(plugin) ?? 0;
      if (full.includes(plugin) || running + this.#fetching < places) continue;
      full.push(plugin);
      if (running < places) this.#careful = true;
    }
    this.#fetching += 1;
    return full;
  }

  fetched(): void {
    this.#fetching -= 1;
    if (this.#fetching > 0 || !this.#careful) return;
    this.#careful = false;
    this.#look();
  }

  async run<T>(plugin: string | undefined, work: () => Promise<T>): Promise<T> {
    this.#streak = { plugin: plugin ?? '', length: plugin === this.#streak.plugin ? this.#streak.length + 1 : 1 };
    if (plugin === undefined) return work();
    this.#running.set(plugin, (this.#running.get(plugin) ?? 0) + 1);
    try {
      return await work();
    } finally {
      this.#running.set(plugin, this.#running.get(plugin)! - 1);
    }
  }
}
