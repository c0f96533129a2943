import type { Line } from './expectations.ts';
import { may } from './who.ts';

const admin = may.organization;
const writes = { PUT: admin, PATCH: admin, DELETE: admin };
const acts = (at: string): Line => ({ at, GET: null, POST: admin });
/** The engine is switched off: those who may ask are told so. */
const asks: Line = { ...acts('policy'), answers: { POST: '503' } };

/** Specification, "Authentication" 5: administrators create them; who reads the organization reads them. */
export const gateExpectations: Record<string, Line> = {
  'policies/': { shows: 'policy', POST: admin, form: [...admin, 'otherAdmin'] },
  'policies/test/': { GET: null, POST: admin, form: ['*'], names: 'organization', answers: { POST: '503' } },
  'policies/:id/': { at: 'policy', ...writes },
  'policies/:id/enable/': acts('policy'),
  'policies/:id/disable/': acts('policy'),
  'policies/:id/test/': asks,
  'policies/:id/backtest/': asks,
  'policies/:id/activity_stream/': { at: 'policy' },
  'policies/:id/explain-access/': { at: 'policy' },
  'policy_decisions/': { shows: 'policy_decision' },
  'policy_decisions/:id/': { at: 'policy_decision' },
  'policy_decisions/:id/activity_stream/': { at: 'policy_decision' },
  'policy_decisions/:id/explain-access/': { at: 'policy_decision' },
  'policies/:id/waivers/': { at: 'policy', shows: 'policy_waiver' },
  'policies/:id/decisions/': { at: 'policy', shows: 'policy_decision' },
  'policy_waivers/': { shows: 'policy_waiver', POST: admin },
  'policy_waivers/:id/': { at: 'policy_waiver', ...writes },
  'policy_waivers/:id/activity_stream/': { at: 'policy_waiver' },
  'policy_waivers/:id/explain-access/': { at: 'policy_waiver' },
  'scanners/': { shows: 'scanner', POST: admin, form: [...admin, 'otherAdmin'] },
  'scanners/:id/': { at: 'scanner', ...writes },
  'scanners/:id/enable/': acts('scanner'),
  'scanners/:id/disable/': acts('scanner'),
  'scanners/:id/activity_stream/': { at: 'scanner' },
  'scanners/:id/explain-access/': { at: 'scanner' },
  'scan_results/': { shows: 'scan_result' },
  'scan_results/:id/': { at: 'scan_result' },
  'scanners/:id/results/': { at: 'scanner', shows: 'scan_result' },
  'scanners/:id/accepted_findings/': { at: 'scanner', shows: 'accepted_finding' },
  'accepted_findings/': { shows: 'accepted_finding' },
  'accepted_findings/:id/': { at: 'accepted_finding', DELETE: admin },
  'accepted_findings/:id/activity_stream/': { at: 'accepted_finding' },
  'accepted_findings/:id/explain-access/': { at: 'accepted_finding' },
  'scan_results/:id/accept/': acts('scan_result'),
  'scan_results/:id/sarif/': { at: 'scan_result' },
  'scan_results/:id/activity_stream/': { at: 'scan_result' },
  'scan_results/:id/explain-access/': { at: 'scan_result' },
};
