import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { toast } from '../../ui/toast.ts'
import { tellEnd } from '../deployments/index.ts'

/** Where the example answers. */
export const examplePath = '/hello'

const page =
  '<h1>Hello {{req.query.name}}</h1>\n<p>This page comes from a flow. Change it in the editor and press Deploy.</p>'

const example = [
  { id: 'hello-tab', type: 'tab', label: 'Hello', disabled: false, info: '' },
  {
    id: 'hello-in',
    type: 'http in',
    z: 'hello-tab',
    name: '',
    url: examplePath,
    method: 'get',
    upload: false,
    x: 130,
    y: 100,
    wires: [['hello-page']],
  },
  {
    id: 'hello-page',
    type: 'template',
    z: 'hello-tab',
    name: 'the page',
    field: 'payload',
    fieldType: 'msg',
    format: 'handlebars',
    syntax: 'mustache',
    template: page,
    output: 'str',
    x: 310,
    y: 100,
    wires: [['hello-out']],
  },
  {
    id: 'hello-out',
    type: 'http response',
    z: 'hello-tab',
    name: '',
    statusCode: '',
    headers: { 'content-type': 'text/html; charset=utf-8' },
    x: 480,
    y: 100,
    wires: [],
  },
]

/** Gives an instance that has no flows a small one, which answers at `examplePath`. */
export function useExample(instanceId: string) {
  const client = useQueryClient()
  return useMutation({
    meta: { caught: true },
    mutationFn: async () => {
      await api.call('instance.import', { params: { instanceId }, body: { flows: JSON.stringify(example) } })
      await tellEnd(client, instanceId, { done: 'The example is deployed.', failed: 'The example was not deployed.' })
    },
    onError: (error) => toast.warning('The example was not deployed.', { detail: reasonOf(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.instance(instanceId) }),
  })
}
