import { type Action, type Call, notFound, type Row, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { sealSurvey, shownSurvey } from './defaults.ts';
import { readSurvey } from './read-survey.ts';
import { questionsOf, questionTypes } from './survey.ts';

export interface SurveyDeps {
  db: Knex;
  keyRing: Pick<KeyRing, 'encrypt'>;
  settings: Pick<Settings, 'get'>;
}

const question = {
  type: 'object',
  // keys that nobody knows are kept
  additionalProperties: true,
  required: ['type', 'question_name', 'variable', 'required'],
  properties: {
    variable: { type: 'string' },
    question_name: { type: 'string' },
    question_description: { type: 'string' },
    type: { enum: questionTypes },
    required: { type: 'boolean' },
    default: { type: ['string', 'number'] },
    choices: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    min: { type: ['integer', 'null'] },
    max: { type: ['integer', 'null'] },
  },
};
const survey = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    spec: { type: 'array', items: question },
  },
};

/** `survey_spec/` of templates of a type: what their launches ask (contract/jobs.md §6). */
export const surveyAction = (deps: SurveyDeps, type: string, rules: { see: Rule; change: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.change, DELETE: rules.change },
  summary: 'The questions that a launch asks',
  takes: { ...survey, required: ['name', 'description', 'spec'] },
  answers: {
    GET: { schema: survey },
    POST: { empty: true },
    DELETE: { empty: true },
  },
  async handler(call, { id }) {
    if (call.method === 'GET') {
      const row = await deps.db('templates').where({ id }).first('survey_spec');
      return { status: 200, body: shownSurvey(row?.survey_spec) };
    }
    await store(deps, call, type, id);
    return { status: 200 };
  },
});

/** Under the row's lock: `$encrypted$` keeps what is stored now. */
const store = ({ db, keyRing, settings }: SurveyDeps, call: Call, type: string, id: number): Promise<void> =>
  db.transaction(async (trx) => {
    const before: Row | undefined = await trx('templates').where({ id }).forUpdate().first();
    if (!before) throw notFound();
    const stored = questionsOf(before['survey_spec']);
    const read = () => readSurvey(call.body, stored, { maxLength: settings.get('MAX_VARIABLES_LENGTH') });
    const survey_spec = call.method === 'DELETE' ? {} : sealSurvey(keyRing, id, read(), stored);
    const [row] = await trx('templates')
      .where({ id })
      .update({
        survey_spec: JSON.stringify(survey_spec),
        modified: trx.fn.now(),
        modified_by_id: call.actor?.id ?? null,
      })
      .returning('*');
    const [from, to] = [before['survey_spec'], survey_spec].map(brief);
    await call.written(trx, type, row, before, { survey_spec: [from, to] });
  });

const longestEntry = 65_536;

/** For the activity stream. */
function brief(stored: unknown): object {
  const shown = shownSurvey(stored);
  if (JSON.stringify(shown).length <= longestEntry) return shown;
  const { name, description } = shown;
  return { name, description, questions: questionsOf(shown).length };
}
