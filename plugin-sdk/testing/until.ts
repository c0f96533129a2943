import { setTimeout as delay } from 'node:timers/promises';

/** Waits until `condition` returns something truthy, and returns that; its last error or value is in the failure. The limit only ends what hangs: busy machines are slow. */
export async function until<T>(condition: () => T | Promise<T>, ms = 45_000, what = ''): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  let last: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(
        `Condition ${what || condition} did not hold within ${ms} ms; last: ${last instanceof Error ? last.stack : JSON.stringify(last)}`,
      );
    }
    await delay(25);
  }
}
