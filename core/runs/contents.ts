import type { LaunchContent, RunRow } from '@tapline/plugin-sdk';

/** Files for the taps of one launch. */
export interface ContentsOfLaunch {
  /** made at the first call; all calls get the same */
  get(): Promise<LaunchContent | null>;
  /** once the launch is decided */
  discard(): Promise<void>;
}

export interface Contents {
  of(run: RunRow): ContentsOfLaunch;
  /** of processes that died while a launch was being decided */
  removeLeftOvers(): Promise<void>;
}
