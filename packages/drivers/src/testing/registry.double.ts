import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

interface Release {
  manifest: Record<string, unknown>
  tarball: Buffer
}

/** A registry for npm on the loopback address, with the packages that a test publishes. */
export async function startRegistryDouble() {
  const packages = new Map<string, Map<string, Release>>()
  const behaviour = {
    /** Status with which every call is answered instead. */
    failWith: undefined as number | undefined,
    /** Calls are taken and never answered. */
    silent: false,
  }
  const asked: string[] = []
  let url = ''

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1)
    asked.push(path)
    if (!behaviour.silent) answer(path, response)
  })

  function answer(path: string, response: ServerResponse) {
    if (behaviour.failWith) return response.writeHead(behaviour.failWith).end('{}')
    const [, name = path, version] = /^(.+)\/-\/(\d.*)\.tgz$/.exec(path) ?? []
    const releases = packages.get(name)
    if (!releases) return response.writeHead(404).end('{"error":"Not found"}')
    if (version) {
      const found = releases.get(version)?.tarball
      return found ? response.end(found) : response.writeHead(404).end('{"error":"Not found"}')
    }
    const versions = Object.fromEntries([...releases].map(([one, { manifest }]) => [one, manifest]))
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: [...releases.keys()].at(-1) }, versions }))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    asked,
    behaviour,
    /** `more` goes into its package.json. */
    publish(
      name: string,
      version: string,
      files: Record<string, string> = {},
      more: Record<string, unknown> = {},
    ): void {
      const described = { name, version, ...more }
      const tarball = pack({
        'package.json': JSON.stringify(described),
        'index.js': `exports.version = '${version}'`,
        ...files,
      })
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
      const dist = { tarball: `${url}/${name}/-/${version}.tgz`, integrity }
      const hasInstallScript = 'scripts' in more
      const manifest = { ...described, dist, ...(hasInstallScript ? { hasInstallScript } : {}) }
      packages.set(name, (packages.get(name) ?? new Map<string, Release>()).set(version, { manifest, tarball }))
    },
    retract: (name: string, version: string) => void packages.get(name)?.delete(version),
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** An archive as npm publishes it. */
function pack(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const body = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(`package/${name}`, 0)
    header.write('0000644\0' + '0000000\0'.repeat(2), 100)
    header.write(`${body.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124)
    header.write('        0', 148)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
