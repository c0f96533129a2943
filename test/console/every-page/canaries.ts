import type { Stage } from '../stage.ts';
import type { Furnished } from './furnish.ts';

const evil = 'globalThis.sung = 1';
/** In a place where an address is expected. */
const address = `javascript:${evil}//`;
/** Where it stands, so that whoever finds it knows; then what would be drawn, run or break the page if it were let. */
const text = (place: string, most = 500) =>
  `«${place}» 👩‍👩‍👧‍👦 مرحبا\u202Eשלום "><img src=x onerror="${evil}"><script>${evil}</script> ${address} ${'W'.repeat(most)}`.slice(
    0,
    most,
  );

interface Option {
  type: string;
  max_length?: number;
  choices?: unknown;
}

/** The caller goes on as who they are. */
const kept = new Set(['users.password', 'users.username:1']);

/** Of a place: what people call something, and say of it. */
export const named = /^\w+\.\w*(?:name|description|identifier|reason)$/;

/** Without names of their own: what the service itself has, and parts of others. */
const refusing =
  /^(?:instance_groups\.name|credential_input_sources\.input_field_name|inventory_sources\.(?:name|description)):/;

/**
 * Writes into every text that an API takes from people, of the first records of each list. Answers the places that took it, and
 * those of names and descriptions that did not.
 */
export async function writeCanaries({ service }: Stage): Promise<{ taken: Set<string>; refused: string[] }> {
  const taken = new Set<string>();
  const refused: string[] = [];
  const write = async (url: string, place: string, name: string, { max_length: most = 500 }: Option) => {
    const said = text(`${place}:${url.split('/').at(-2)}`, Math.min(most, 500));
    // the last two are for what is written as YAML, and for what holds names and values
    const values = [
      ...(/ur[il]/.test(name) ? [address] : []),
      said,
      JSON.stringify({ [said]: said }),
      { [said]: said },
    ];
    let answer;
    for (const value of values) {
      answer = await service.request('PATCH', url, { body: { [name]: value } });
      if (answer.status === 200) return void taken.add(place);
    }
    refused.push(`${place}: ${JSON.stringify(answer?.body)}`);
  };
  for (const [list, path] of Object.entries<string>((await service.get('')).body)) {
    const { body } = await service.request('OPTIONS', path);
    const records = body.actions?.POST ? ((await service.get(`${path}?page_size=200`)).body.results ?? []) : [];
    for (const { id } of records) {
      const url = `${path}${id}/`;
      const options: Record<string, Option> = (await service.request('OPTIONS', url)).body.actions?.PUT ?? {};
      for (const [name, option] of Object.entries(options)) {
        const place = `${list}.${name}`;
        if (
          ['string', 'json'].includes(option.type) &&
          !option.choices &&
          !kept.has(place) &&
          !kept.has(`${place}:${id}`)
        )
          await write(url, place, name, option);
      }
    }
  }
  return { taken, refused: refused.filter((one) => named.test(one.split(':')[0]!) && !refusing.test(one)) };
}

/** Tables and what the service writes into them itself of what it heard: of hosts, tasks, other services, and names of the past. */
const heard: Record<string, string> = {
  run_events: 'host_name play task role',
  runs: 'name description job_explanation result_traceback limit job_tags skip_tags scm_branch',
  job_host_summaries: 'host_name',
  failing_tasks: 'task error',
  notifications: 'error recipients subject body',
  hook_traces: 'error',
  instances: 'errors',
  workflow_job_nodes: 'identifier explanation',
  workflow_approval_votes: 'username comment',
  'plugin_outbound_webhooks.outbound_webhook_deliveries': 'error',
  'plugin_eda.event_logs': 'event_rule_name event_type error',
  'plugin_drift.detections': 'summary fact_path attribution',
  'plugin_drift.alerts': 'summary notification_error',
  'plugin_policy.decisions': 'policy_name message',
  'plugin_scanning.findings': 'rule_id file_path message',
  'plugin_scanning.results': 'scanner_name message',
  'plugin_scanning.accepted': 'rule_id file_path message reason',
};

/** What is kept as JSON gets a key and a value more. */
const documents: Record<string, string> = {
  run_events: 'event_data',
  runs: 'artifacts',
  activity_stream: 'changes actor_names',
  facts: 'document',
  'plugin_drift.detections': 'detail',
  'plugin_policy.decisions': 'context',
  'plugin_eda.event_logs': 'headers',
};

const eachColumn = (tables: Record<string, string>) =>
  Object.entries(tables).flatMap(([table, columns]) => columns.split(' ').map((column) => ({ table, column })));

/** A credential type and a survey with words of their own. Answers the places and the addresses of what shows them. */
export async function askCanaries({ make, service }: Stage, { asking }: Furnished) {
  const places = new Set<string>();
  const place = (name: string) => {
    places.add(`asked.${name}`);
    return text(`asked.${name}`);
  };
  const type = await make('credential_types/', {
    name: 'Odd',
    kind: 'cloud',
    inputs: {
      fields: [
        { id: 'word', label: place('label'), help_text: place('help') },
        { id: 'pick', label: 'Pick', choices: [place('choice_of_type'), 'other'] },
      ],
    },
  });
  const inputs = { word: place('input'), pick: place('choice_of_type') };
  const credential = await make('credentials/', { name: 'Odd', organization: 1, credential_type: type.id, inputs });
  const question = {
    type: 'multiplechoice',
    question_name: place('question'),
    question_description: place('question_description'),
    variable: 'who',
    choices: [place('choice'), 'nobody'],
    required: true,
    default: 'nobody',
  };
  const words = { ...question, type: 'text', variable: 'what', choices: '', default: place('answer') };
  const survey = { name: '', description: '', spec: [question, words] };
  const { status } = await service.post(`job_templates/${asking}/survey_spec/`, survey);
  if (status !== 200) throw new Error(`the survey was refused: ${status}`);
  await service.request('PATCH', `job_templates/${asking}/`, { body: { survey_enabled: true } });
  const pages = [`/credential_types/${type.id}`, `/credentials/${credential.id}`];
  return { places, pages, form: `/credentials/${credential.id}/edit` };
}

/** Adds to what the service keeps of what it heard, where nobody but it writes. Answers the places of which there is something. */
export async function hearCanaries({ service }: Stage): Promise<string[]> {
  const { db } = service.services;
  const places: string[] = [];
  const add = async (place: string, sql: string, ...bindings: string[]) => {
    const { rowCount } = await db.raw(`update ?? set ?? = ${sql}`, [...place.split(/\.(?=\w+$)/), ...bindings]);
    if (rowCount > 0) places.push(place);
  };
  for (const { table, column } of eachColumn(heard))
    await add(`${table}.${column}`, 'concat(??, ?::text)', column, text(`${table}.${column}`));
  for (const { table, column } of eachColumn(documents)) {
    const said = text(`${table}.${column}`);
    const object = "?? || jsonb_build_object(?::text, ?::text) where jsonb_typeof(??) = 'object'";
    await add(`${table}.${column}`, object, column, said, said, column);
  }
  // before the first line: there are as many as before
  await add('run_events.stdout', "concat(?::text, stdout) where stdout <> ''", text('run_events.stdout'));
  return places;
}
