import type { ContentService, LaunchContent, LaunchWork, RunRow } from '@tapline/plugin-sdk';

/** Files for the taps of one launch. */
export interface ContentsOfLaunch {
  /** made at the first call; all calls get the same */
  get(): Promise<LaunchContent | null>;
  /** all that it leads to, read at the first call; the files of each are made when they are asked for */
  works(): Promise<readonly LaunchWork[]>;
  /** once the launch is decided */
  discard(): Promise<void>;
}

export interface Contents extends ContentService {
  of(run: RunRow): ContentsOfLaunch;
  /** of processes that died while a launch was being decided */
  removeLeftOvers(): Promise<void>;
}
