import { useState } from "preact/hooks";
import { tags } from "../../lib/calls.ts";
import { filterText } from "../../lib/filter.ts";
import { count } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { searchLink } from "../../lib/route.ts";
import { Empty, Loaded, Page } from "../../parts/common.tsx";

/** The tags that most jobs have. */
export function TagsPage() {
  const list = useResource("tags", tags, { every: 10_000 });
  const [part, type] = useState("");
  return (
    <Page title="Tags" about="The most used first, of those that at least two jobs have">
      <Loaded resource={list}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No tag is on two jobs">
              Tags are given when a job is put, or on its page; a search finds jobs by them.
            </Empty>
          ) : (
            <>
              <div class="field">
                <label for="tag-part">Part of a tag</label>
                <input
                  id="tag-part"
                  type="search"
                  value={part}
                  onInput={(event) => type(event.currentTarget.value)}
                />
              </div>
              <ol class="tag-cloud">
                {all
                  .filter(({ tag }) => tag.includes(part))
                  .map(({ tag, count: n }) => (
                    <li key={tag}>
                      <a class="tag" href={searchLink(filterText({ tag }))} data-row>
                        {tag} <span class="number">{count(n)}</span>
                      </a>
                    </li>
                  ))}
              </ol>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
