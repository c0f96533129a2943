interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * What is asked while an earlier question is out is asked as one: as many requests as there are share a statement and a
 * commit, and a single one waits for nobody. Where a batch fails each is tried alone, so that none suffers for another.
 */
export function together<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let busy = false;

  async function carryOut(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results[index]!));
    } catch (error) {
      if (batch.length === 1) return batch[0]!.reject(error);
      for (const one of batch)
        // one after the other: they share a connection
        // oxlint-disable-next-line no-await-in-loop
        await carryOut([one]);
    }
  }
  async function empty(): Promise<void> {
    busy = true;
    while (waiting.length)
      // the next batch is what came meanwhile
      // oxlint-disable-next-line no-await-in-loop
      await carryOut(waiting.splice(0, most));
    busy = false;
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) void empty();
    });
}
