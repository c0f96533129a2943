import type { Finding } from '../scanner.ts';

/** What is scanned: a folder of files, and which of them a launch would run. */
export interface Target {
  folder: string;
  /** the playbook, relative to the folder */
  entry: string;
}

/** How a tool is run on one file. `{folder}` stands for where it sees the folder. */
export interface Command {
  args: string[];
  /** the file that it looks at, relative to the folder */
  file: string;
  inFolder?: boolean;
  network?: boolean;
  env?: Record<string, string>;
  /** what else of this machine it reads */
  shown?: string[];
}

/** What a tool wrote. */
export interface Output {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface ToolAdapter {
  /** undefined: there is nothing for it to look at; @throws ScanError */
  command(target: Target, config: Record<string, unknown>, advisories: string): Promise<Command | undefined>;
  /** @throws ScanError where it did not look at all of it */
  read(output: Output, command: Command): Finding[];
  /** said where there is nothing for it */
  nothing: string;
}
