import { spawnSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { docker, ensureImage, image } from '../../testing/docker.image.ts'
import { shellFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openKubernetes } from '../../testing/kubernetes/kubernetes.harness.ts'
import { startPodmanNode } from '../../testing/kubernetes/podman.node.ts'
import { runs } from '../../testing/local.harness.ts'

/** The engine is Podman, so its client sees the images of the tests. */
const isPodman = () => /podman/i.test(docker('version')) && spawnSync('podman', ['--version']).status === 0

test('the pod of an instance runs as a real container by `podman kube play`, with no more rights than it asks for', async ({
  annotate,
}) => {
  if (!isPodman()) return void (await annotate('Left out: the engine here is not Podman.'))
  ensureImage()
  const opened = await openKubernetes({}, { node: { labels: {} } })
  onTestFinished(() => opened.close())
  const { driver, spec, putFlows, api, home, podOf } = opened
  await opened.node.close()
  const node = startPodmanNode(api, { claim: home, from: `docker.io/library/${image}` })
  onTestFinished(() => node.close())
  const one = spec()
  putFlows(
    one.id,
    shellFlow(
      `id -u; cat /proc/self/status; for at in / /etc "$HOME" /tmp; do touch $at/mark 2>&1 && echo wrote $at; done`,
    ),
  )
  await driver.start(one)
  await runs(driver, one.id)
  const { text } = await askInstance(driver.endpoint(one.id)!, '/do')
  expect(Number(text.split('\n')[0])).toBeGreaterThanOrEqual(200_000)
  expect(text).toMatch(/^CapBnd:\s+0+$/m)
  expect(text).toMatch(/^NoNewPrivs:\s+1$/m)
  expect(text).toMatch(/^Seccomp:\s+2$/m)
  expect([...text.matchAll(/^wrote (\S+)/gm)].map(([, path]) => path)).toEqual([
    expect.stringContaining(one.id),
    '/tmp',
  ])
  const pod = await podOf(one.id)
  const [{ HostConfig }] = node.inspect(pod)
  expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 256 * 1024 * 1024 })
  await driver.stop(one.id)
  expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
  expect(() => node.inspect(pod)).toThrow()
})
