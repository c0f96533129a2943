import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { type AttackedService, startAttackedService } from './attacking-service.ts';

const mib = 1 << 20;

/** What a playbook can do to the files that its engine says things in, and what is said of it then. */
const forgeries: Record<string, [code: string, said: RegExp]> = {
  'makes the output eight terabytes in one call': ['os.ftruncate(1, 8 << 40)', /stdout has a hole/],
  'makes the events eight terabytes in one call': ['os.ftruncate(3, 8 << 40)', /events.*hole/],
  'leaves a hole in the output': ['os.ftruncate(1, 6 << 20)', /stdout has a hole/],
  'shortens the output': ["write(1, b'x' * 70000); time.sleep(2); os.ftruncate(1, 10)", /stdout was shortened/],
  'reserves the disk by one call': [
    'ctypes.CDLL(None, use_errno=True).fallocate64(1, 1, ctypes.c_int64(0), ctypes.c_int64(200 << 20))',
    /stdout took room without writing/,
  ],
  'says more than a run may': ["[write(1, b'text of a line\\n' * 100000) for _ in range(40)]", /RUN_MAX_OUTPUT_BYTES/],
  'says lines without end': ["[write(1, b'\\n' * (1 << 20)) for _ in range(40)]", /RUN_MAX_OUTPUT_BYTES/],
  'writes events of many bytes': [
    `[write(3, b'{"event":"verbose","uuid":"' + b'u' * 60000 + b'"}\\n') for _ in range(1000)]`,
    /RUN_MAX_EVENT_BYTES/,
  ],
  'writes many events': [`write(3, b'{"event":"verbose"}\\n' * 60000)`, /RUN_MAX_EVENTS/],
};

describe('every run ends, whatever its playbook does', function () {
  let service: AttackedService;

  before(async () => {
    service = await startAttackedService({
      TAPLINE_RUN_MAX_OUTPUT_BYTES: String(8 * mib),
      TAPLINE_RUN_MAX_EVENT_BYTES: String(16 * mib),
      TAPLINE_RUN_MAX_EVENTS: '20000',
      TAPLINE_SPOOL_LIMIT_BYTES: String(4 * mib),
      TAPLINE_ENGINE_MAX_FILE_BYTES: '0',
    });
  });
  after(() => service?.close());

  for (const [what, [code, said]] of Object.entries(forgeries)) {
    it(`ends one that ${what}, as failed and with the reason`, async () => {
      const id = await service.attack(code);
      const job = await service.ended(id);
      expect(job.job_explanation).to.match(said);
      expect(job.status).to.equal('failed');
      await until(() => !existsSync(join(service.data, 'jobs', String(id))));
    });
  }

  it('pauses what the engine started along with it, and ends it at its limit', async () => {
    const id = await service.attack(
      `subprocess.Popen([sys.executable, '-c', "import os\\nwhile True: os.write(1, b'and on ' * 10000)"], stdin=subprocess.DEVNULL, stdout=os.dup(1))`,
    );
    const job = await service.ended(id);
    expect(job.job_explanation).to.match(/RUN_MAX_OUTPUT_BYTES/);
    expect(job.status).to.equal('failed');
  });

  it('is not held up by facts of hosts that do not exist, whatever their size', async () => {
    const code = `
folder = os.path.join(os.environ['HOME'], '..', 'fact_cache')
for number in range(20):
    with open(os.path.join(folder, 'f%d' % number), 'w') as file:
        file.write('{"a": "' + 'x' * 31000000 + '"}')`;
    const id = await service.attack(code, {
      tasks: '    - debug: {msg: done}',
      more: { use_fact_cache: true },
    });
    expect(await service.ended(id)).to.include({ status: 'successful' });
  });

  it('counts what failed though its events are each the child of the one before', async () => {
    const code = `
event = '{"event":"runner_on_failed","uuid":"%s%d","parent_uuid":"%s%d","event_data":{}}\\n'
long = 'x' * 230
write(3, ''.join(event % (long, i, long, i - 1) for i in range(15000)).encode())
write(3, b'{"event":"playbook_on_stats","uuid":"s","event_data":{"failures":{"a":1}}}\\n')`;
    const id = await service.attack(code, { tasks: '    - debug: {msg: done}' });
    expect(await service.ended(id)).to.include({ status: 'successful' });
  });

  it('carries out an ordinary job after all of this', async () => {
    const id = await service.attack('', { tasks: '    - debug: {msg: done}' });
    expect(await service.ended(id)).to.include({ status: 'successful', job_explanation: '' });
  });
});
