#!/bin/sh
# Fetches a project's source inside the sandbox and hands over what is new: result/refs, result/revision, fetched/pack.
# The service's own copy (SCM_CACHE) is only read here, to fetch less.
set -eu
umask 077
mkdir -p result fetched
git init --quiet --bare repo.git
fresh=1
if [ -n "$SCM_CACHE" ] && [ -r "$SCM_CACHE/objects" ]; then
  printf '%s\n' "$SCM_CACHE/objects" > repo.git/objects/info/alternates
  fresh=0
fi
cd repo.git

printf 'Updating %s\n' "$SCM_SHOWN_URL"
case "$SCM_TYPE" in
  archive) (cd .. && "$SCM_PYTHON" archive.py 2>&1) ;;
  svn)
    (cd .. && "$SCM_PYTHON" subversion.py 2>&1)
    # which names a revision there, not here
    SCM_BRANCH=
    ;;
  *)
    fetch() { git fetch --force --no-tags --progress --no-write-fetch-head -- "$SCM_URL" "$@" 2>&1; }
    set -- '+refs/heads/*:refs/heads/*' '+refs/tags/*:refs/tags/*'
    [ -z "$SCM_BRANCH" ] && set -- "$@" '+HEAD:refs/tapline/head'
    [ -n "$SCM_REFSPEC" ] && set -- "$@" "$SCM_REFSPEC"
    if ! fetch "$@"; then
      printf 'The source could not be fetched.\n'
      exit 2
    fi
    ;;
esac

resolve() {
  for name in "refs/heads/$1" "refs/tags/$1" "refs/remotes/origin/$1" "refs/$1" "$1"; do
    if git rev-parse --verify --quiet --end-of-options "$name^{commit}"; then return 0; fi
  done
  return 1
}
if [ -z "$SCM_BRANCH" ]; then
  revision=$(resolve refs/tapline/head) || { printf 'The source is empty.\n'; exit 3; }
elif ! revision=$(resolve "$SCM_BRANCH"); then
  # a commit that no branch holds may still be given out when asked for by name
  case "$SCM_BRANCH" in
    *[!0-9a-f]*) ;;
    *) fetch "+$SCM_BRANCH:refs/tapline/commit" || true ;;
  esac
  revision=$(resolve "$SCM_BRANCH") || { printf 'There is no branch, tag or commit "%s".\n' "$SCM_BRANCH"; exit 3; }
fi

# Into requirements/: jobs find it there. $1 = the file's name without its ending, $2... = how to install it
install() {
  for file in "$1.yml" "$1.yaml"; do
    [ -f "$file" ] || continue
    shift
    printf 'Installing what %s asks for\n' "$file"
    # the flags are ours, and may be none
    # shellcheck disable=SC2086
    ansible-galaxy "$@" -r "$file" $SCM_GALAXY_FLAGS 2>&1
    return
  done
}
install_all() (
  cd ../tree || exit 1
  . ../env/galaxy.sh
  # a configuration of the repository could send the organization's tokens elsewhere
  ANSIBLE_CONFIG=$(cd ../env && pwd)/ansible.cfg
  ANSIBLE_ROLES_PATH=$(cd ../requirements/roles && pwd)
  ANSIBLE_COLLECTIONS_PATH=$(cd ../requirements/collections && pwd)
  GIT_ALLOW_PROTOCOL="$GIT_ALLOW_PROTOCOL:https:http:ssh:git"
  export ANSIBLE_CONFIG ANSIBLE_ROLES_PATH ANSIBLE_COLLECTIONS_PATH GIT_ALLOW_PROTOCOL
  if [ -n "$SCM_ROLES" ]; then install roles/requirements role install || exit 1; fi
  if [ -n "$SCM_COLLECTIONS" ]; then install collections/requirements collection install || exit 1; fi
  case "$SCM_ROLES:$SCM_COLLECTIONS" in
    1:1) install requirements install ;;
    1:) install requirements role install ;;
    :1) install requirements collection install ;;
  esac
)
if [ "$SCM_TYPE" = git ]; then (cd .. && "$SCM_PYTHON" submodules.py "$revision"); fi

# before anything of it is used
if [ -n "$SCM_VERIFY" ]; then (cd .. && "$SCM_PYTHON" verify.py "$revision"); fi

wanted=$(git ls-tree --name-only "$revision" -- requirements.yml requirements.yaml roles/requirements.yml roles/requirements.yaml \
  collections/requirements.yml collections/requirements.yaml)
case " $SCM_KNOWN " in *" $revision "*) wanted= ;; esac
if [ -n "$wanted" ] && [ -n "$SCM_ROLES$SCM_COLLECTIONS" ]; then
  mkdir -p ../tree ../requirements/roles ../requirements/collections
  git archive "$revision" | tar -x -C ../tree
  if ! install_all; then
    printf 'The requirements of the project could not be installed.\n'
    exit 4
  fi
fi

git for-each-ref --format='%(objectname) %(refname)' > ../result/refs
git for-each-ref --format='%(objectname)' > ../wanted
printf '%s\n' "$revision" >> ../wanted
if [ "$fresh" = 0 ]; then
  git --git-dir="$SCM_CACHE" for-each-ref --format='^%(objectname)' >> ../wanted 2>/dev/null || true
fi
git pack-objects --revs --thin --stdout --quiet < ../wanted > ../fetched/pack
cp ../env/known_hosts ../result/known_hosts
printf '%s\n' "$revision" > ../result/revision
printf 'Revision %s\n' "$revision"
