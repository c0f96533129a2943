import { progress } from '../lib/progress.ts';
import { readyToLaunch } from '../lib/ready-to-launch.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';

const launches = 200;
const warmUp = 30;

const types = [
  'text',
  'textarea',
  'integer',
  'float',
  'multiplechoice',
  'multiselect',
  'password',
  'text',
  'text',
  'text',
];
const choices = ['red', 'green', 'blue'];

/** Twenty questions of all types, two of them for passwords, and right answers to them. */
const spec = Array.from({ length: 20 }, (_, index) => ({
  variable: `answer_${index}`,
  question_name: `Question ${index}`,
  type: types[index % types.length]!,
  required: index % 2 === 0,
  min: 0,
  max: 1000,
  choices,
}));

function answerTo(type: string): unknown {
  if (type === 'integer') return 17;
  if (type === 'float') return 1.5;
  if (type === 'multiplechoice') return 'green';
  return type === 'multiselect' ? ['red', 'blue'] : 'a text as people write it';
}

const extra_vars = Object.fromEntries(spec.map(({ variable, type }) => [variable, answerTo(type)]));

/** POST to answer with a survey that is answered, minus that of the same template while its survey is off. */
export async function survey(): Promise<Figure[]> {
  const service = new Service({ TAPLINE_PLUGINS: '' });
  try {
    const { template, launch } = await readyToLaunch(service);
    await service.call('POST', `job_templates/${template}/survey_spec/`, { name: 'Survey', description: '', spec });
    const [without, withAnswers, more]: number[][] = [[], [], []];
    for (let n = -warmUp; n < launches; n += 1) {
      if (n % 50 === 0) progress(`launch ${n} of ${launches}`);
      const took = new Map<boolean, number>();
      for (const enabled of n % 2 ? [true, false] : [false, true]) {
        await service.call('PATCH', `job_templates/${template}/`, { survey_enabled: enabled });
        took.set(enabled, await timed(() => launch(enabled ? { extra_vars } : {})));
      }
      if (n < 0) continue;
      without!.push(took.get(false)!);
      withAnswers!.push(took.get(true)!);
      more!.push(took.get(true)! - took.get(false)!);
    }
    const detail = `with ${spread(withAnswers!, 'ms')}; without ${spread(without!, 'ms')}; pairs ${spread(more!, 'ms')}`;
    return [figure('survey', '20 answers, added to a launch', median(more!), 'ms', '<=', 3, detail)];
  } finally {
    await service.stop();
  }
}
