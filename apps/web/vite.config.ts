import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

/** Kilobytes after gzip: all that is fetched before anybody signs in, any later chunk, all styles together. */
const budget = { signIn: 200, chunk: 80, css: 30 }
const server = process.env.DEV_SERVER ?? 'http://localhost:3000'

/** Pages of administrators, and rooms of which nobody else opens a page. */
const ofAdmin =
  /features\/(?:(?:backup|health|scim|settings|stats|users)\/|\w+\/pages\/Admin|sso\/(?!own-path|pages\/Sso(?:Link|Step)Page)|team-types\/(?!(?:index|quota-text|quotas\.queries|components\/(?:QuotaNote|ChangeType))\.tsx?)|catalogue\/(?!(?:index|catalogue\.queries)\.ts))/

/** Pages and banners of billing, which are fetched only where billing is on. */
const ofBilling = /features\/billing\/(?:pages\/|components\/(?!PaymentGate|Terms))/

/** Roles in applications, which are fetched only where they are on. */
const ofApplicationRoles = /features\/application-members\/(?:pages|components)\//

/** Lists and pages of devices, which not every team has. */
const ofDevices = /features\/devices\//

/**
 * Few pieces, for few requests: what the first page needs, what several areas share, and the pages of each area, because
 * who is on one of them is about to go to the next. A piece takes what its modules import along, so an area that others
 * import from comes before them.
 */
const pieces = [
  { name: 'console', tags: ['$initial' as const] },
  {
    name: 'overlays',
    test: /node_modules\/(@radix-ui|@floating-ui|react-remove-scroll|aria-hidden)/,
    minShareCount: 2,
  },
  { name: 'shared', test: /node_modules|src\/(ui|lib|shell)\/|packages\//, minShareCount: 2 },
  { name: 'frame', test: /features\/console\/(?!pages\/Admin)/ },
  {
    name: 'account',
    test: /features\/(?:(?:account|second-factor|setup|tokens)\/|invitations\/(?:pages\/InvitationLink|invitation-link)|sso\/(?:own-path|pages\/Sso(?:Link|Step)Page))/,
  },
  {
    name: 'team',
    test: (id: string) =>
      /features\//.test(id) && ![ofAdmin, ofBilling, ofApplicationRoles, ofDevices].some((of) => of.test(id)),
  },
  { name: 'admin', test: ofAdmin },
  { name: 'billing', test: ofBilling },
  { name: 'application-roles', test: ofApplicationRoles },
  { name: 'devices', test: ofDevices },
].map((piece, index, all) => ({ ...piece, priority: all.length - index }))

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    tailwindcss(),
    inlineBoot(),
    preloadFace(),
    namePieces(),
    ...(mode === 'gallery' ? [] : [enforceBudget(), precompress()]),
  ],
  server: {
    proxy: Object.fromEntries(
      ['/api', '/account', '/storage', '/avatar', '/agent', '/docs'].map((path) => [path, proxy(path)]),
    ),
  },
  build: {
    target: 'es2023',
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      ...(mode === 'gallery' && { input: 'gallery.html' }),
      output: { codeSplitting: { groups: pieces } },
    },
  },
}))

/** Pages under /account are the console's own; only what asks for something else than a page goes to the server. */
function proxy(path: string): ProxyOptions {
  return {
    target: server,
    ws: path === '/api',
    // It answers under its own name alone.
    changeOrigin: true,
    // The server takes writes from its own console only, and this page is that console at another port.
    configure: (proxied) =>
      proxied.on('proxyReq', (call, { headers }) => {
        if (headers.origin === `http://${headers.host}`) call.setHeader('origin', server)
      }),
    bypass: (req) =>
      path === '/account' &&
      req.method === 'GET' &&
      req.headers.accept?.includes('text/html') &&
      !/^\/account\/(authorize|complete|reject)\b/.test(req.url ?? '')
        ? '/index.html'
        : undefined,
  }
}

/** Puts boot.js into the page: the first paint waits for it, so a file of its own would cost a round trip. */
function inlineBoot(): Plugin {
  const tag = '<script src="/boot.js"></script>'
  return {
    name: 'inline-boot',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => {
        const code = readFileSync(new URL('boot.js', import.meta.url), 'utf8')
        return html.replace(tag, () => `<script nonce="__CSP_NONCE__">\n${code}</script>`)
      },
    },
  }
}

/** The sans face is on every screen: asking for it with the page saves a round trip before text settles. */
function preloadFace(): Plugin {
  return {
    name: 'preload-face',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /inter-basic.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: '' },
            injectTo: 'head',
          })),
    },
  }
}

/** Tells the console the addresses of its pieces, which src/lib/signed-in.ts fetches once somebody is signed in. */
function namePieces(): Plugin {
  return {
    name: 'name-pieces',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const files = Object.values(bundle ?? {}).flatMap((part) =>
          part.type === 'chunk' && !part.isEntry ? [[part.name, `/${part.fileName}`]] : [],
        )
        const content = JSON.stringify(Object.fromEntries(files))
        return [{ tag: 'meta', attrs: { name: 'pieces', content }, injectTo: 'head' }]
      },
    },
  }
}

function enforceBudget(): Plugin {
  let log = (_text: string) => {}
  return {
    name: 'enforce-budget',
    configResolved: (config) => {
      log = (text) => config.logger.info(text)
    },
    generateBundle: {
      // After the page is written.
      order: 'post',
      handler(_options, bundle) {
        const initial = new Set<string>()
        const page = bundle['index.html']
        const html = page?.type === 'asset' ? String(page.source) : ''
        const visit = (file: string) => {
          const chunk = bundle[file]
          if (chunk?.type !== 'chunk' || initial.has(file)) return
          initial.add(file)
          chunk.imports.forEach(visit)
        }
        const size: Record<string, number> = {}
        let [css, face] = [0, 0]
        for (const [file, part] of Object.entries(bundle)) {
          const weight = gzipSync(part.type === 'chunk' ? part.code : part.source).length / 1024
          if (part.type === 'chunk') {
            size[file] = weight
            // Every file that the page names is fetched with it, be it for later.
            if (part.isEntry || html.includes(`href="/${file}"`)) visit(file)
          } else if (file.endsWith('.css')) css += weight
          else if (html.includes(`href="/${file}"`)) face += weight
        }
        const before = [...initial].reduce((sum, file) => sum + (size[file] ?? 0), css + face)
        const rows: [string, number, number][] = [
          ['scripts, styles and face before sign-in', before, budget.signIn],
          ['styles', css, budget.css],
        ]
        for (const [file, weight] of Object.entries(size))
          if (!initial.has(file)) rows.push([file, weight, budget.chunk])
        const text = rows.map(([name, kb, most]) => `${kb.toFixed(1).padStart(7)} KB of ${most}  ${name}`).join('\n')
        log(`Sizes after gzip:\n${text}`)
        const over = rows.filter(([, kb, most]) => kb > most)
        if (over.length > 0) this.error(`Over budget: ${over.map(([name]) => name).join(', ')}\n${text}`)
      },
    },
  }
}

/** Puts .br and .gz beside each text asset. Not for HTML: the server writes a nonce into it for every response. */
function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'precompress',
    configResolved: (config) => {
      outDir = join(config.root, config.build.outDir)
    },
    closeBundle: () => {
      for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
        const file = join(outDir, name)
        if (!/\.(js|css|svg|json)$/.test(name) || statSync(file).size < 1024) continue
        const source = readFileSync(file)
        writeFileSync(`${file}.gz`, gzipSync(source, { level: 9 }))
        writeFileSync(
          `${file}.br`,
          brotliCompressSync(source, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: source.length } }),
        )
      }
    },
  }
}
