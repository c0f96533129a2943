/**
 * What `work` answers, or the error that `late` makes when it has not answered after `ms`. It goes on unobserved then:
 * nothing can stop it.
 */
export async function inTime<T>(work: () => T | Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([Promise.resolve().then(work), over]);
  } finally {
    clearTimeout(timer);
  }
}
