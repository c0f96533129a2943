interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Limits {
  /** items of one batch */
  most: number;
  /** batches under way: the more, the smaller is each; of two one is written while the other is gathered, and neither waits where one lingers */
  atOnce: number;
}

/** SQLSTATE: data, constraints, deadlocks, limits. The database has undone all of it. */
const ofContent = /^(22|23|40|54)...$/;

/**
 * What is asked in one moment, or while as many questions are out as may be, is asked as one: so many requests share a statement and
 * a commit. Where a batch fails by what is in it each is tried alone, so that none suffers for another; one whose end is not known, since
 * the connection was lost, is not done again.
 */
export function together<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { most, atOnce }: Limits,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let begun = false;

  async function carryOut(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length === 1 || !ofContent.test(String((error as { code?: unknown }).code)))
        return batch.forEach(({ reject }) => reject(error));
      for (const one of batch)
        // one after the other: they share a connection
        // oxlint-disable-next-line no-await-in-loop
        await carryOut([one]);
    }
  }
  async function empty(): Promise<void> {
    begun = false;
    underWay += 1;
    while (waiting.length)
      // the next batch is what came meanwhile
      // oxlint-disable-next-line no-await-in-loop
      await carryOut(waiting.splice(0, most));
    underWay -= 1;
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (begun || underWay >= atOnce) return;
      begun = true;
      // what has arrived by now comes along
      setImmediate(() => void empty());
    });
}
