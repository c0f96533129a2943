import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root } from '../../core/config/config.ts';

export interface ImageStore {
  /** the name of an image with this machine's engine, and a file /etc/of-the-image that the machine does not have */
  image: string;
  /** its files, for a store of somebody else */
  archive: string;
  podman(...args: string[]): string;
  end(): void;
}

const engine = join(root, '.tools', 'engine');
const programs = 'sh dash env mkdir rm cat ls echo chmod sleep id stat uname touch mv cp ssh-agent ssh-add'.split(' ');

/**
 * A store of images of its own, with one image in it: there is no registry to have one from. Podman finds both by its own
 * variables, which stay set until the end.
 */
export function makeImageStore(archive?: string): ImageStore {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-images-'));
  const configuration = {
    CONTAINERS_CONF: `[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\ntmp_dir = "${folder}/tmp"\n`,
    CONTAINERS_STORAGE_CONF: `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/store"\nrunroot = "${folder}/run"\n`,
  };
  for (const [name, content] of Object.entries(configuration)) {
    writeFileSync(join(folder, name), content);
    process.env[name] = join(folder, name);
  }
  const podman = (...args: string[]) =>
    execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const image = 'localhost/engine:1';
  const files = archive ?? makeArchive(join(folder, 'image'));
  podman('import', '--quiet', '--change', `ENV PATH=${engine}/bin:/usr/bin:/bin`, files, image);
  return {
    image,
    archive: files,
    podman,
    end() {
      podman('system', 'reset', '--force');
      for (const name of Object.keys(configuration)) delete process.env[name];
      execFileSync('rm', ['-rf', folder]);
    },
  };
}

function makeArchive(files: string): string {
  const python = realpathSync(join(engine, 'bin', 'python3'));
  const library = join(dirname(dirname(python)), 'lib', basename(python));
  const found = programs.map((name) => join('/usr/bin', name)).filter((path) => existsSync(path));
  const modules = [...filesBelow(join(library, 'lib-dynload')), ...filesBelow(join(engine, 'lib'), '*.so')];
  mkdirSync(join(files, 'etc'), { recursive: true });
  writeFileSync(join(files, 'etc', 'of-the-image'), 'yes\n');
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(files, name));
  const linked = librariesOf([python, ...found, ...modules]).map((path) =>
    join(realpathSync(dirname(path)), basename(path)),
  );
  execFileSync('cp', ['--dereference', '--parents', python, ...found, ...linked, files]);
  const tar = `${files}.tar`;
  const unused = ['ansible_test', 'pip', 'setuptools', 'lib2to3', 'ensurepip'].map((name) => `--exclude=${name}`);
  // compiled modules too: a container cannot keep those that it compiles. Of the system's locales the engine needs one
  const whole = [library, engine, '/usr/lib/locale/C.utf8'].map((path) => path.slice(1));
  execFileSync('tar', ['--create', `--file=${tar}`, ...unused, '-C', files, '.', '-C', '/', ...whole]);
  return tar;
}

const filesBelow = (folder: string, name = '*') =>
  execFileSync('find', [folder, '-type', 'f', '-name', name], { encoding: 'utf8' }).split('\n').filter(Boolean);

function librariesOf(programsAndModules: string[]): string[] {
  const { stdout } = spawnSync('ldd', programsAndModules, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return [...new Set(stdout.match(/(?<=\s)\/\S+(?= \(0x)/g))];
}
