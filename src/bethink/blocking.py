"""A memory for code that does not await: every operation as an ordinary method.

Made by `make docs` from the operations; change those, not this file.
"""

from __future__ import annotations

from typing import Unpack

from . import domain, vocabulary
from .operations import ask as ask_
from .operations import calibrate as calibrate_
from .operations import edges as edges_
from .operations import entities as entities_
from .operations import evaluate as evaluate_
from .operations import excerpt as excerpt_
from .operations import explore as explore_
from .operations import forget as forget_
from .operations import gaps as gaps_
from .operations import get as get_
from .operations import golden as golden_
from .operations import graph as graph_
from .operations import list as list_
from .operations import namespaces as namespaces_
from .operations import recall as recall_
from .operations import reembed as reembed_
from .operations import reindex as reindex_
from .operations import relate as relate_
from .operations import related as related_
from .operations import restore as restore_
from .operations import stats as stats_
from .operations import store as store_
from .operations import store_many as store_many_
from .operations import unrelate as unrelate_
from .operations import update as update_
from .portal import Portal


class BlockingBethink(Portal):
    """`Bethink` without `await`: it runs in a thread of its own. Use it as a context manager, or close it."""

    def store(
        self,
        content: vocabulary.Content,
        *,
        title: vocabulary.Title | None = None,
        kind: vocabulary.KindOf = domain.Kind.fact,
        tags: vocabulary.Tags | None = None,
        namespace: vocabulary.NamespaceName | None = None,
        on_conflict: vocabulary.OnConflict = vocabulary.Conflicting.add,
        hints: vocabulary.Hints = True,
        min_importance: vocabulary.MinImportance | None = None,
        **properties: Unpack[vocabulary.Properties],
    ) -> store_.Stored:
        """Remember something that will matter later: a decision and why, a fix, a preference, how something works."""
        return self.run(self.engine.store(
            content,
            title=title,
            kind=kind,
            tags=tags,
            namespace=namespace,
            on_conflict=on_conflict,
            hints=hints,
            min_importance=min_importance,
            **properties,
        ))

    def recall(
        self,
        query: vocabulary.Query,
        *,
        refers_to: recall_.RefersTo | None = None,
        limit: vocabulary.Limit = 10,
        cursor: vocabulary.Cursor | None = None,
        detail: recall_.DetailOf = vocabulary.Detail.summary,
        max_tokens: vocabulary.MaxTokens = 8000,
        include_related: recall_.IncludeRelated = False,
        explain: recall_.Explain = False,
        mode: recall_.ModeOf = vocabulary.Mode.hybrid,
        min_score: recall_.MinScore | None = None,
        use_graph: recall_.UseGraph = False,
        decay: recall_.DecayOf = "auto",
        rerank: recall_.Rerank | None = None,
        rerank_top: recall_.RerankTop = 20,
        **filters: Unpack[vocabulary.Filters],
    ) -> recall_.Recalled:
        """Find what is remembered about a question, best first. Call it before you guess or start work."""
        return self.run(self.engine.recall(
            query,
            refers_to=refers_to,
            limit=limit,
            cursor=cursor,
            detail=detail,
            max_tokens=max_tokens,
            include_related=include_related,
            explain=explain,
            mode=mode,
            min_score=min_score,
            use_graph=use_graph,
            decay=decay,
            rerank=rerank,
            rerank_top=rerank_top,
            **filters,
        ))

    def get(
        self,
        ids: vocabulary.MemoryIds,
        *,
        versions: get_.WithVersions = False,
        relations: get_.WithRelations = False,
        chunks: get_.WithChunks = False,
        max_tokens: vocabulary.WhatFits = None,
    ) -> get_.Got:
        """Read whole memories by id, up to 200, in the order asked for."""
        return self.run(self.engine.get(
            ids,
            versions=versions,
            relations=relations,
            chunks=chunks,
            max_tokens=max_tokens,
        ))

    def list(
        self,
        *,
        sort: list_.SortBy = vocabulary.Sort.recorded,
        descending: list_.Descending = True,
        limit: vocabulary.PageLimit = 20,
        cursor: vocabulary.Cursor | None = None,
        detail: list_.DetailOf = vocabulary.Detail.summary,
        max_tokens: vocabulary.WhatFits = None,
        **filters: Unpack[vocabulary.Filters],
    ) -> list_.Page:
        """List memories by exact filters, newest first by default, with the true total."""
        return self.run(self.engine.list(
            sort=sort,
            descending=descending,
            limit=limit,
            cursor=cursor,
            detail=detail,
            max_tokens=max_tokens,
            **filters,
        ))

    def update(
        self,
        id: update_.ExactId,
        *,
        title: vocabulary.Title | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        content: vocabulary.Content | vocabulary.Unset = vocabulary.Unset.UNSET,
        kind: vocabulary.KindOf | vocabulary.Unset = vocabulary.Unset.UNSET,
        tags: vocabulary.Tags | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        status: update_.NewStatus | vocabulary.Unset = vocabulary.Unset.UNSET,
        expected_version: vocabulary.ExpectedVersion | None = None,
        reason: vocabulary.Reason | None = None,
        hints: vocabulary.Hints = True,
        **properties: Unpack[vocabulary.Properties],
    ) -> update_.Updated:
        """Correct or extend a memory. Only what you give changes; tags replace; null clears. The version before is kept."""
        return self.run(self.engine.update(
            id,
            title=title,
            content=content,
            kind=kind,
            tags=tags,
            status=status,
            expected_version=expected_version,
            reason=reason,
            hints=hints,
            **properties,
        ))

    def forget(
        self,
        ids: vocabulary.ExactIds,
        *,
        reason: vocabulary.Reason | None = None,
        hard: forget_.Hard = False,
        token: forget_.Token | None = None,
    ) -> forget_.Forgotten:
        """Take memories out of use because they are wrong or no longer matter; they can be restored."""
        return self.run(self.engine.forget(
            ids,
            reason=reason,
            hard=hard,
            token=token,
        ))

    def restore(
        self,
        ids: vocabulary.ExactIds,
        *,
        reason: vocabulary.Reason | None = None,
    ) -> restore_.Restored:
        """Bring memories back that were retired or superseded, as they were before. What was erased is gone for good."""
        return self.run(self.engine.restore(
            ids,
            reason=reason,
        ))

    def relate(
        self,
        source: vocabulary.EdgeEnd | None = None,
        target: vocabulary.EdgeEnd | None = None,
        type: relate_.TypeOf | None = None,
        *,
        weight: relate_.Weight | None = None,
        metadata: vocabulary.Metadata | None = None,
        edges: relate_.NewEdges | None = None,
    ) -> relate_.Related:
        """Connect two memories."""
        return self.run(self.engine.relate(
            source,
            target,
            type,
            weight=weight,
            metadata=metadata,
            edges=edges,
        ))

    def edges(
        self,
        memory: vocabulary.MemoryId | None = None,
        *,
        types: edges_.Types | None = None,
        namespaces: edges_.Places | None = None,
        origin: edges_.OriginOf | None = None,
        limit: edges_.EdgeLimit = 50,
        cursor: vocabulary.Cursor | None = None,
        max_tokens: vocabulary.WhatFits = None,
    ) -> edges_.Edges:
        """List edges, newest first."""
        return self.run(self.engine.edges(
            memory,
            types=types,
            namespaces=namespaces,
            origin=origin,
            limit=limit,
            cursor=cursor,
            max_tokens=max_tokens,
        ))

    def graph(
        self,
        ids: graph_.Starts,
        *,
        hops: graph_.Hops = 2,
        direction: graph_.DirectionOf = graph_.Direction.both,
        types: graph_.Types | None = None,
        limit: graph_.NodeLimit = 50,
        max_tokens: vocabulary.WhatFits = None,
        **filters: Unpack[vocabulary.Filters],
    ) -> graph_.Graph:
        """Follow edges from one or more memories."""
        return self.run(self.engine.graph(
            ids,
            hops=hops,
            direction=direction,
            types=types,
            limit=limit,
            max_tokens=max_tokens,
            **filters,
        ))

    def unrelate(
        self,
        source: vocabulary.EdgeEnd | None = None,
        target: vocabulary.EdgeEnd | None = None,
        type: unrelate_.EdgeType | None = None,
        *,
        retype: unrelate_.Retype | None = None,
        reverse: unrelate_.Reverse = False,
        edges: unrelate_.NamedEdges | None = None,
        dry_run: unrelate_.DryRun = False,
    ) -> unrelate_.Unrelated:
        """Delete an edge between two memories, or correct it."""
        return self.run(self.engine.unrelate(
            source,
            target,
            type,
            retype=retype,
            reverse=reverse,
            edges=edges,
            dry_run=dry_run,
        ))

    def stats(
        self,
        *,
        namespaces: vocabulary.Namespaces | None = None,
    ) -> stats_.Stats:
        """Count what is stored in reach, by kind, status, language and age, and say whether anything needs attention."""
        return self.run(self.engine.stats(
            namespaces=namespaces,
        ))

    def entities(
        self,
        action: entities_.ActionOf = entities_.Action.list,
        *,
        name: entities_.OneName | None = None,
        others: entities_.Others | None = None,
        to: entities_.To | None = None,
        kind: entities_.Kind | None = None,
        memory: entities_.SaidOf | None = None,
        entities: entities_.Told | None = None,
        relations: entities_.Ties | None = None,
        limit: vocabulary.PageLimit = 50,
        cursor: vocabulary.Cursor | None = None,
        max_tokens: vocabulary.WhatFits = None,
        namespaces: vocabulary.Namespaces | None = None,
    ) -> entities_.Entities:
        """See what memories speak of (people, projects, files, tools, places), and put names right."""
        return self.run(self.engine.entities(
            action,
            name=name,
            others=others,
            to=to,
            kind=kind,
            memory=memory,
            entities=entities,
            relations=relations,
            limit=limit,
            cursor=cursor,
            max_tokens=max_tokens,
            namespaces=namespaces,
        ))

    def namespaces(
        self,
        action: namespaces_.ActionOf = namespaces_.Action.list,
        *,
        path: namespaces_.Path | None = None,
        description: namespaces_.Description | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        dedup_threshold: namespaces_.Threshold | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        floor: namespaces_.FloorOf | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        high_from: namespaces_.HighFrom | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        medium_from: namespaces_.MediumFrom | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        required_tags: namespaces_.RequiredTags | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        max_memories: namespaces_.MaxMemories | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        default_repo: namespaces_.Repo | vocabulary.Unset | None = vocabulary.Unset.UNSET,
        max_tokens: vocabulary.WhatFits = None,
    ) -> namespaces_.Namespaces:
        """List the namespaces in reach, create one, or change one's description and settings; null clears a setting."""
        return self.run(self.engine.namespaces(
            action,
            path=path,
            description=description,
            dedup_threshold=dedup_threshold,
            floor=floor,
            high_from=high_from,
            medium_from=medium_from,
            required_tags=required_tags,
            max_memories=max_memories,
            default_repo=default_repo,
            max_tokens=max_tokens,
        ))

    def store_many(
        self,
        items: store_many_.Items,
        *,
        namespace: vocabulary.NamespaceName | None = None,
        batch: store_many_.BatchSize = 64,
        origin: store_many_.OriginOf = domain.Origin.imported,
    ) -> store_many_.StoredMany:
        """Store many memories at once, without hints. Takes any iterable; can be interrupted and run again."""
        return self.run(self.engine.store_many(
            items,
            namespace=namespace,
            batch=batch,
            origin=origin,
        ))

    def explore(
        self,
        facets: explore_.Facets,
        *,
        limit: explore_.MostValues = 20,
        max_tokens: vocabulary.WhatFits = None,
        **filters: Unpack[vocabulary.Filters],
    ) -> explore_.Explored:
        """Count what is there by kind, tag, entity, month and whatever else can be filtered, to see what a memory is about."""
        return self.run(self.engine.explore(
            facets,
            limit=limit,
            max_tokens=max_tokens,
            **filters,
        ))

    def excerpt(
        self,
        id: vocabulary.MemoryId,
        query: excerpt_.Wanted | None = None,
        *,
        start: excerpt_.Start | None = None,
        end: excerpt_.End | None = None,
        max_matches: excerpt_.MaxMatches = 10,
        context: excerpt_.Context = 120,
        case_sensitive: excerpt_.CaseSensitive = False,
        max_tokens: vocabulary.WhatFits = None,
    ) -> excerpt_.Excerpt:
        """Find a text inside one long memory, with offsets, line and what is around it, or read a part of it by offsets."""
        return self.run(self.engine.excerpt(
            id,
            query,
            start=start,
            end=end,
            max_matches=max_matches,
            context=context,
            case_sensitive=case_sensitive,
            max_tokens=max_tokens,
        ))

    def related(
        self,
        id: vocabulary.MemoryId,
        *,
        limit: vocabulary.Limit = 10,
        min_similarity: related_.MinSimilarity = 0.0,
        unlinked: related_.Unlinked = False,
        max_tokens: vocabulary.WhatFits = None,
        **filters: Unpack[vocabulary.Filters],
    ) -> related_.Relatives:
        """Find the memories nearest to a given one: what it repeats, what it contradicts, what it could be linked to."""
        return self.run(self.engine.related(
            id,
            limit=limit,
            min_similarity=min_similarity,
            unlinked=unlinked,
            max_tokens=max_tokens,
            **filters,
        ))

    def ask(
        self,
        query: vocabulary.Query,
        *,
        hops: ask_.Hops = 2,
        instructions: ask_.Instructions | None = None,
        max_tokens: ask_.Budget = 1500,
        **filters: Unpack[vocabulary.Filters],
    ) -> ask_.Answer:
        """Answer one question in a few cited sentences, from what recall finds and what relations join to it."""
        return self.run(self.engine.ask(
            query,
            hops=hops,
            instructions=instructions,
            max_tokens=max_tokens,
            **filters,
        ))

    def gaps(
        self,
        *,
        least: gaps_.Least = 2,
        limit: gaps_.MostGaps = 20,
        forget: gaps_.Forget | None = None,
        namespaces: vocabulary.Namespaces | None = None,
        max_tokens: vocabulary.WhatFits = None,
    ) -> gaps_.Gaps:
        """List the questions that came again and found nothing, most frequent first: what is worth finding out and storing."""
        return self.run(self.engine.gaps(
            least=least,
            limit=limit,
            forget=forget,
            namespaces=namespaces,
            max_tokens=max_tokens,
        ))

    def reembed(
        self,
    ) -> reembed_.Reembedded:
        """Rebuild the vectors after the embedder was changed. Keyword search goes on; can be interrupted and run again."""
        return self.run(self.engine.reembed(
        ))

    def reindex(
        self,
    ) -> reindex_.Reindexed:
        """Bring the keyword index to this version after an update of Bethink. Can be interrupted and run again."""
        return self.run(self.engine.reindex(
        ))

    def evaluate(
        self,
        questions: evaluate_.Questions,
    ) -> evaluate_.Evaluated:
        """Ask golden questions and measure how well they are answered; nothing of it counts as read or as a gap."""
        return self.run(self.engine.evaluate(
            questions,
        ))

    def golden(
        self,
        count: golden_.Count,
        *,
        seed: golden_.Seed = 0,
        **filters: Unpack[vocabulary.Filters],
    ) -> golden_.Golden:
        """Make golden questions from what is stored in reach: phrases of memories, each in one memory alone."""
        return self.run(self.engine.golden(
            count,
            seed=seed,
            **filters,
        ))

    def calibrate(
        self,
        questions: calibrate_.Questions | None = None,
        *,
        namespace: calibrate_.Where | None = None,
        apply: calibrate_.Apply = False,
    ) -> calibrate_.Calibrated:
        """Measure under which score nothing answers in a namespace, and with golden questions what its labels are worth."""
        return self.run(self.engine.calibrate(
            questions,
            namespace=namespace,
            apply=apply,
        ))
