import type { PluginApi } from '@tapline/plugin-sdk';
import type { Tool } from './scanner.ts';

const category = 'security';
export const longestRawOutput = 1_048_576;

/** The programs that the tools are, as their makers call them. */
export const programs: Readonly<Record<Tool, string>> = {
  playbook_lint: 'ansible-lint',
  iac_scan: 'checkov',
  dependency_audit: 'pip-audit',
};

export interface ScanSettings {
  enabled: boolean;
  timeoutMs: number;
  failMode: 'allow' | 'deny';
  rawOutputMax: number;
  /** '' = the tool's own */
  advisories: string;
}

export function defineSettings({ settings }: Pick<PluginApi, 'settings'>): void {
  settings.define({
    key: 'SCANNER_ENABLED',
    category,
    type: 'boolean',
    default: false,
    help: 'Scan what launches would run. While it is off scanners are kept, and nothing is scanned.',
  });
  settings.define({
    key: 'SCANNER_TIMEOUT_S',
    category,
    type: 'integer',
    default: 120,
    min: 1,
    max: 300,
    unit: 'seconds',
    help: 'How long one scanner may run; then it is ended with all that it started.',
  });
  settings.define({
    key: 'SCANNER_FAIL_MODE',
    category,
    type: 'choice',
    choices: ['allow', 'deny'],
    default: 'allow',
    help: 'What a scanner that fails or takes too long means: allow lets the launch go on with a warning, deny blocks it.',
  });
  settings.define({
    key: 'SCANNER_RAW_OUTPUT_MAX',
    category,
    type: 'integer',
    default: 8192,
    min: 0,
    max: longestRawOutput,
    unit: 'bytes',
    help: "How much of a tool's output is kept with a result.",
  });
  settings.define({
    key: 'SCANNER_CACHE_DAYS',
    category,
    type: 'integer',
    default: 7,
    min: 0,
    max: 365,
    unit: 'days',
    help: 'How long it is kept what a tool said of a commit, so that it is not asked again; of requirements an hour at most. Where it is kept, projects are scanned when they are updated. 0: each launch is scanned anew.',
  });
  defineTools({ settings });
}

function defineTools({ settings }: Pick<PluginApi, 'settings'>): void {
  settings.define({
    key: 'SCANNER_COMMANDS',
    category,
    type: 'map',
    default: programs,
    help: 'The programs of the tools playbook_lint, iac_scan and dependency_audit: names on the PATH of the service, or paths.',
    check: (value) =>
      Object.keys(value).find((tool) => !(tool in programs)) === undefined
        ? undefined
        : `It knows the tools ${Object.keys(programs).join(', ')}.`,
  });
  settings.define({
    key: 'SCANNER_ADVISORIES_URL',
    category,
    type: 'string',
    default: '',
    help: "Where dependency_audit asks for advisories: an address of the OSV protocol (…/v1/query). Empty: the tool's own service.",
    check: (value) => (value === '' || /^https?:\/\//.test(value) ? undefined : 'It must be an http or https address.'),
  });
}

export function scanSettings({ settings }: Pick<PluginApi, 'settings'>): ScanSettings {
  return {
    enabled: settings.get('SCANNER_ENABLED', false),
    timeoutMs: settings.get('SCANNER_TIMEOUT_S', 120) * 1000,
    failMode: settings.get('SCANNER_FAIL_MODE', 'allow') === 'deny' ? 'deny' : 'allow',
    rawOutputMax: settings.get('SCANNER_RAW_OUTPUT_MAX', 8192),
    advisories: settings.get('SCANNER_ADVISORIES_URL', ''),
  };
}

export const commandOf = ({ settings }: Pick<PluginApi, 'settings'>, tool: Tool): string =>
  (settings.get('SCANNER_COMMANDS') as Record<string, string> | undefined)?.[tool] || programs[tool];
