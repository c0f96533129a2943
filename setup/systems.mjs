const others = {
  win32: 'Use a Linux distribution under WSL 2.',
  darwin: 'Use a Linux container or virtual machine.',
};

/** What this system lacks, in one sentence with the remedy; undefined where all that is needed can be installed. */
export function systemProblem({ platform, arch, musl }) {
  const why = 'runs are supervised by means of Linux (/proc, prctl)';
  if (platform !== 'linux') return `Tapline does not run on ${platform}: ${why}. ${others[platform] ?? 'Use Linux.'}`;
  if (musl)
    return 'Tapline needs a Linux with glibc (Debian, Ubuntu, Fedora …), this one has musl: neither Node 24 nor Postgres comes as a package for it.';
  if (arch !== 'x64' && arch !== 'arm64')
    return `Tapline needs an x64 or arm64 processor, this is ${arch}: neither Node 24 nor Postgres comes as a package for it.`;
  return undefined;
}

export function thisSystem() {
  const { platform, arch } = process;
  // interfaces are looked up by name otherwise, which may take seconds
  process.report.excludeNetwork = true;
  const musl = platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
  return { platform, arch, musl };
}
