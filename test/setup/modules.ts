/** Set-up is plain JavaScript, since an older Node has to run it; what tests use of it has its types here. */
interface Modules {
  lock: {
    underLock<T>(lock: string, work: () => Promise<T>, limits?: { waitMs?: number; pollMs?: number }): Promise<T>;
  };
  engine: { missingEngine(root: string): string | undefined };
  python: {
    environmentStamp(folder: string, requirements: string): string;
    writeStamp(folder: string, text: string): void;
  };
  systems: { systemProblem(system: { platform: string; arch: string; musl: boolean }): string | undefined };
}

export const setupModule = async <N extends keyof Modules>(name: N): Promise<Modules[N]> =>
  import(`../../setup/${name}.mjs`);
