import { definePlugin } from '@tapline/plugin-sdk';
import { createAnswers, removeOldAnswers } from './answers.ts';
import { acceptedFindingResource } from './resources/accepted-finding.ts';
import { scanResultResource } from './resources/scan-result.ts';
import { scannerResource } from './resources/scanner.ts';
import { createScan } from './scan.ts';
import { definePages } from './pages.ts';
import { defineSettings } from './settings.ts';
import { scanLaunch } from './taps/scan-launch.ts';
import { scanProject } from './taps/scan-project.ts';

/** Before a launch starts, what it would run is looked at by external tools. */
export default definePlugin({
  id: 'scanning',
  title: 'Launch scanning',
  version: '1.0.0',
  description: 'Scans playbooks and requirements (ansible-lint, checkov, pip-audit) before a launch starts.',
  sdk: '^1.0.0',
  mandatory: true,
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    defineSettings(api);
    api.resource(scannerResource(api));
    api.resource(scanResultResource(api));
    api.resource(acceptedFindingResource(api));
    const scan = createScan(api, createAnswers(api));
    scanLaunch(api, scan);
    scanProject(api, scan);
    removeOldAnswers(api);
    definePages(api);
    api.insights.provide('scanners.enabled', async () => {
      const { n } = (await api.db(api.table('scanners')).where({ enabled: true }).count({ n: '*' }).first()) as {
        n: number;
      };
      return Number(n);
    });
  },
});
