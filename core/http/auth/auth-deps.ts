import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import type { Settings } from '../../settings/settings.ts';
import type { ReadBody } from '../body.ts';
import type { Audit } from '../../accounts/audit.ts';
import type { Auth } from './authenticate.ts';

/** What the routes of logging in and of OAuth work with. */
export interface AuthDeps {
  db: Knex;
  settings: Pick<Settings, 'get'>;
  auth: Auth;
  audit: Audit;
  bus?: Bus;
  /** reads a form or a JSON object */
  readForm: ReadBody;
}
