import { type Core, startCore } from '@tapline/plugin-sdk/testing';
import scanning from '../index.ts';
import { toolOf } from './tool.ts';

export interface ScanStage extends Core {
  make(path: string, body: object): Promise<any>;
  scanner(columns: object): Promise<any>;
  /** a template of a project with these files, whose playbook is site.yml */
  project(files: Record<string, string>): Promise<any>;
  launch(template: any): ReturnType<Core['admin']['post']>;
  set(settings: Record<string, unknown>): Promise<void>;
  results(query?: string): Promise<any[]>;
  /** a program that stands for a tool, for what a real one cannot be made to do */
  program(script: string): string;
}

/** The service with the plugin; jobs are launched and not run. */
export async function startScanStage(): Promise<ScanStage> {
  const core = await startCore({ plugins: [scanning], env: { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' } });
  const must = async (answer: Promise<any>, status: number) => {
    const given = await answer;
    if (given.status !== status) throw new Error(`${given.status} ${given.text}`);
    return given.body;
  };
  const make = (path: string, body: object) => must(core.admin.post(path, body), 201);
  const set = async (settings: object) => void (await must(core.admin.patch('settings/security/', settings), 200));
  await set({ SCANNER_ENABLED: true });
  let made = 0;
  return {
    ...core,
    make,
    set,
    scanner: (columns) => make('scanners/', { name: `s${++made}`, tool: 'playbook_lint', ...columns }),
    project: async (files) => {
      const project = await core.makeProject(files);
      return core.makeTemplate({ project: project.id, playbook: 'site.yml', allow_simultaneous: true });
    },
    launch: (template) => core.admin.post(`${template.url}launch/`),
    results: async (query = '') => (await must(core.admin.get(`scan_results/?page_size=200${query}`), 200)).results,
    program: toolOf,
  };
}
