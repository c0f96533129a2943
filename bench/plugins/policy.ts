import { startOpa } from '../../plugins/policy/test/opa.ts';
import { progress } from '../lib/progress.ts';
import { readyToLaunch } from '../lib/ready-to-launch.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';

const launches = Number(process.env['BENCH_ROUNDS'] ?? 200);
const warmUp = 30;
const many = 20;

const moduleOf = (name: string) =>
  `package ${name}\nimport rego.v1\n\ndeny contains "not on Sundays" if input.extra_vars.day == "Sunday"\n`;

interface Side {
  launch(): Promise<unknown>;
  /** @throws where a policy was not asked: nothing would have been measured */
  judged(): Promise<void>;
  stop(): Promise<void>;
}

async function judged(service: Service, policies: number): Promise<void> {
  const asked = (await service.call('GET', 'policies/?last_evaluated_at__isnull=false')).count;
  if (asked !== policies) throw new Error(`${asked} of ${policies} policies were asked`);
}

/** A service with so many policies, each an evaluation by a real engine of its own. */
async function sideOf(policies: number): Promise<Side> {
  const opa = await startOpa();
  const service = new Service({
    TAPLINE_PLUGINS: 'policy',
    TAPLINE_POLICY_ENGINE_ENABLED: policies ? 'true' : 'false',
    TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url,
  });
  const stop = async () => {
    if (service.process) await service.stop();
    await opa.stop();
  };
  try {
    const { launch } = await readyToLaunch(service);
    for (let n = 1; n <= policies; n += 1) {
      const name = `bench_${n}`;
      await service.call('POST', 'policies/', { name, rego_module: moduleOf(name), enforcement: 'enforce' });
    }
    await service.call('PATCH', 'organizations/1/', { policy_enforcement: 'enforce' });
    return { launch, stop, judged: () => judged(service, policies) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** POST to answer of a launch that 0, 1 and 20 policies allow, one after the other; the first 30 of each do not count. */
export async function policy(): Promise<Figure[]> {
  const sides: Side[] = [];
  try {
    for (const policies of [0, 1, many]) sides.push(await sideOf(policies));
    const times: [number[], number[], number[]] = [[], [], []];
    for (let n = -warmUp; n < launches; n += 1) {
      if (n % 50 === 0) progress(`launch ${n} of ${launches}`);
      for (const side of [0, 1, 2].map((index) => (index + n + warmUp) % 3)) {
        const took = await timed(sides[side]!.launch);
        if (n >= 0) times[side]!.push(took);
      }
    }
    for (const side of sides) await side.judged();
    const [none, one, twenty] = times;
    const added = (more: number[]) => more.map((took, index) => took - none[index]!);
    const cost = median(added(one));
    const detail = (more: number[]) => `with ${spread(more, 'ms')}; without ${spread(none, 'ms')}`;
    return [
      figure('policy', 'one policy, added to a launch', cost, 'ms', '<=', 5, detail(one)),
      figure('policy', `${many} policies ÷ one, as added`, median(added(twenty)) / cost, '', '<=', 3, detail(twenty)),
    ];
  } finally {
    for (const side of sides) await side.stop();
  }
}
