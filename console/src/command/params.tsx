// A form built from the parameter schema of a command type.
import type { CommandType, ParamProperty } from "../api/types";
import { wordFor, t } from "../i18n";


function plain(schema: ParamProperty): ParamProperty {
  return schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
}

export function emptyParams(kind: CommandType | undefined): Record<string, string> {
  return Object.fromEntries(Object.keys(kind?.params.properties ?? {}).map((name) => [name, ""]));
}

/** The typed values of the form; null while something required is missing or a value is invalid. */
export function paramsOf(kind: Pick<CommandType, "params">, given: Record<string, string>): Record<string, unknown> | null {
  const params: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(kind.params.properties)) {
    const text = (given[name] ?? "").trim();
    if (!text) {
      if (kind.params.required.includes(name)) return null;
      continue;
    }
    const value = read(plain(schema), text);
    if (value === undefined) return null;
    params[name] = value;
  }
  const alternatives = kind.params.anyOf;
  if (alternatives.length && !alternatives.some(({ required }) => required.every((name) => name in params))) return null;
  return params;
}

function read(schema: ParamProperty, text: string): unknown {
  if (schema.type === "integer" || schema.type === "number") {
    const value = Number(text);
    const inside = value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
    return Number.isFinite(value) && inside ? value : undefined;
  }
  if (schema.type === "boolean") return text === "true";
  if (schema.type === "object") {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  }
  return text;
}

export function ParamFields({
  kind,
  given,
  setGiven,
}: {
  kind: CommandType;
  given: Record<string, string>;
  setGiven: (given: Record<string, string>) => void;
}) {
  return (
    <>
      {Object.entries(kind.params.properties).map(([name, schema]) => (
        <Field
          key={name}
          name={name}
          schema={plain(schema)}
          required={kind.params.required.includes(name)}
          secret={kind.secret_params.includes(name)}
          value={given[name] ?? ""}
          onChange={(value) => setGiven({ ...given, [name]: value })}
        />
      ))}
    </>
  );
}

type FieldProps = {
  name: string;
  schema: ParamProperty;
  required: boolean;
  secret: boolean;
  value: string;
  onChange: (value: string) => void;
};

function Field({ name, schema, required, secret, value, onChange }: FieldProps) {
  const numeric = schema.type === "integer" || schema.type === "number";
  const limits = numeric && schema.unit ? `${schema.minimum ?? ""}–${schema.maximum ?? ""} ${schema.unit}` : "";
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
  return (
    <label className="field">
      <span>
        {wordFor("param", name)} {limits ? <span className="hint">{limits}</span> : null}
        {required ? null : <span className="hint"> · {t("cmd.optional")}</span>}
      </span>
      {choices ? (
        <select className="select" value={value} required={required} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t("param.pick")}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {wordFor("choice", choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          className="input"
          type={numeric ? "number" : secret ? "password" : "text"}
          autoComplete="off"
          placeholder={schema.properties ? `{"${Object.keys(schema.properties).join('": …, "')}": …}` : undefined}
          min={schema.minimum}
          max={schema.maximum}
          step={schema.type === "integer" ? 1 : "any"}
          required={required}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}
