import { dirname, join } from 'node:path';
import { type Finding, ScanError, severities, type Severity } from '../scanner.ts';
import type { ConfigOf } from './config.ts';
import { assertInside, exists, parseJson } from './files.ts';
import { checkRequirements } from './requirements.ts';
import type { Target, ToolAdapter } from './tool.ts';

/** As the advisory says it, in whatever case; nothing is medium. */
export function severityOf(said: unknown): Severity {
  const text = typeof said === 'string' ? said.toLowerCase() : '';
  if (text === 'moderate') return 'medium';
  return severities.find((severity) => severity === text) ?? 'medium';
}

interface Advisory {
  id?: unknown;
  severity?: unknown;
  description?: unknown;
  fix_versions?: unknown;
}
interface Dependency {
  name?: unknown;
  version?: unknown;
  vulns?: Advisory[];
  skip_reason?: unknown;
}

async function fileOf({ folder, entry }: Target, named: string | undefined): Promise<string | undefined> {
  if (named !== undefined) return named;
  const beside = join(dirname(entry), 'requirements.txt');
  for (const file of new Set([beside, 'requirements.txt']))
    // the second only where there is no first
    // oxlint-disable-next-line no-await-in-loop
    if (await exists(folder, file)) return file;
  return undefined;
}

export const dependencyAudit: ToolAdapter = {
  nothing: 'No requirements file found.',
  async command(target, config, advisories) {
    const { requirements_file: named, ignore = [] } = config as ConfigOf<'dependency_audit'>;
    const file = await fileOf(target, named);
    if (file === undefined) return undefined;
    await assertInside(target.folder, file);
    await checkRequirements(target.folder, file);
    return {
      file,
      network: true,
      args: [
        '-r',
        `{folder}/${file}`,
        '--no-deps',
        '--disable-pip',
        '-f',
        'json',
        '--progress-spinner',
        'off',
        ...(advisories ? ['-s', 'osv', '--osv-url', advisories] : []),
        ...ignore.flatMap((id) => ['--ignore-vuln', id]),
      ],
    };
  },
  read({ stdout }, { file }) {
    const { dependencies } = parseJson(stdout) as { dependencies?: Dependency[] };
    if (!Array.isArray(dependencies)) throw new ScanError('The tool answered something else than a report.');
    const skipped = dependencies.find(({ skip_reason: reason }) => reason !== undefined);
    if (skipped)
      throw new ScanError(
        `${String(skipped.name)} could not be looked up: ${String(skipped.skip_reason).slice(0, 300)}`,
      );
    return dependencies.flatMap(({ name, version, vulns = [] }) =>
      vulns.map(({ id, severity, description, fix_versions: fixed }): Finding => {
        const fixes = Array.isArray(fixed) && fixed.length ? ` Fixed in ${fixed.join(', ')}.` : '';
        return {
          rule_id: String(id),
          severity: severityOf(severity),
          file_path: file,
          line: null,
          message: `${String(name)} ${String(version)}: ${String(description ?? '').split('\n')[0]}${fixes}`,
        };
      }),
    );
  },
};
