/** An endpoint at /hello that answers, and logs what it answers. */
export const helloFlow = [
  { id: 'f1', type: 'tab', label: 'Hello', disabled: false, info: '' },
  {
    id: 'n1',
    type: 'http in',
    z: 'f1',
    name: '',
    url: '/hello',
    method: 'get',
    upload: false,
    x: 120,
    y: 80,
    wires: [['n2']],
  },
  {
    id: 'n2',
    type: 'function',
    z: 'f1',
    name: 'greet',
    outputs: 1,
    timeout: 0,
    noerr: 0,
    libs: [],
    initialize: '',
    finalize: '',
    x: 320,
    y: 80,
    wires: [['n3']],
    func: "const who = msg.req.query.who || 'world'\nnode.warn('greeted ' + who)\nmsg.payload = 'Hello ' + who\nreturn msg",
  },
  { id: 'n3', type: 'http response', z: 'f1', name: '', statusCode: '', headers: {}, x: 520, y: 80, wires: [] },
]

/** A page that tries to set cookies for the console, and to read it. */
export function hostileFlow(console: string) {
  const page = `<!doctype html><title>hostile</title><script>
    document.cookie = 'planted=script; Domain=localhost; Path=/'
    fetch('${console}/api/v1/user', { credentials: 'include' })
      .then((reply) => reply.text()).then((text) => 'read ' + text, () => 'refused')
      .then((text) => document.title = text)
  </script>`
  return [
    { id: 'f2', type: 'tab', label: 'Hostile', disabled: false, info: '' },
    {
      id: 'h1',
      type: 'http in',
      z: 'f2',
      name: '',
      url: '/hostile',
      method: 'get',
      upload: false,
      x: 120,
      y: 80,
      wires: [['h2']],
    },
    {
      id: 'h2',
      type: 'function',
      z: 'f2',
      name: '',
      outputs: 1,
      timeout: 0,
      noerr: 0,
      libs: [],
      initialize: '',
      finalize: '',
      x: 320,
      y: 80,
      wires: [['h3']],
      func: `msg.headers = { 'content-type': 'text/html', 'set-cookie': ['sid=planted; Domain=localhost; Path=/', 'planted=header; Domain=localhost; Path=/'] }
msg.payload = ${JSON.stringify(page)}
return msg`,
    },
    { id: 'h3', type: 'http response', z: 'f2', name: '', statusCode: '', headers: {}, x: 520, y: 80, wires: [] },
  ]
}
